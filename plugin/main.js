// With `runtime: nodejs` in PulumiPlugin.yaml, Pulumi starts this file.
require("../dist/native/main.js");
