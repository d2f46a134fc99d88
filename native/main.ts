// `pulumi-resource-compute`: the engine starts it with the engine's address as an argument, and reads the port from the first
// line of stdout.

import { serve } from "./server.js";

const { version } = require("pulumi-compute-endpoint/package.json") as { version: string };

serve({ version, argv: process.argv.slice(2), print: (line) => console.log(line) }).then(
  (port) => console.log(String(port)),
  (error: Error) => {
    process.stderr.write(`pulumi-resource-compute: ${error.message}\n`);
    process.exit(1);
  },
);
