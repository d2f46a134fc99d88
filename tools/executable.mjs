// Makes the files named on the command line executable, as npm does when it installs the package: in the clone, where
// each build writes them anew, nobody else would.
import { chmodSync } from "node:fs";

for (const file of process.argv.slice(2)) chmodSync(file, 0o755);
