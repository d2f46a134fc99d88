/**
 * Loaded into the `neon` command before its own code: whoever else than this machine it wants to talk to is named on
 * stderr and not reached, and so is a program that it wants to start. Its own code stays as it was published.
 */
const child = require("node:child_process");
const net = require("node:net");

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const refuse = (what) => {
  process.stderr.write(`NOT ALLOWED: ${what}\n`);
  return new Error(`not allowed in tests: ${what}`);
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = args;
  const options = Array.isArray(first) ? first[0] : first;
  const host = typeof options === "object" ? (options.host ?? "localhost") : String(args[1] ?? "localhost");
  if (typeof options === "object" && options.path !== undefined) throw refuse(`socket ${options.path}`);
  if (!LOOPBACK.has(host)) return this.destroy(refuse(`host ${host}`));
  return connect.apply(this, args);
};

const { spawn } = child.ChildProcess.prototype;
child.ChildProcess.prototype.spawn = function (options) {
  refuse(`program ${options.file}`);
  return spawn.call(this, { ...options, file: "/not-allowed-in-tests" });
};
