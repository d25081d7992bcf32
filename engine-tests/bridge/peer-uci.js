#!/usr/bin/env node
// Runs a WebAssembly chess engine from an npm package as an ordinary UCI process, so that Fission can play against it:
//
//     node peer-uci.js target/npm/node_modules/stockfish-mv.wasm
//
// The engine is started as it is; this file only carries its lines. Input that arrives before it is ready is kept, and
// "quit" or the end of input ends the process once everything it printed has been written.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");

const [packageDir] = process.argv.slice(2);
if (!packageDir) fail("usage: node peer-uci.js DIRECTORY_OF_THE_NPM_PACKAGE");
const program = path.resolve(packageDir, "stockfish.js");
if (!fs.existsSync(program)) fail(`${program} not found: install the package with npm first ("make peers" does)`);

// Where fetch exists, the packages take the process for a browser and ask the network for their .wasm file.
delete globalThis.fetch;
process.chdir(path.dirname(program));

const input = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
const early = [];
let deliver = (line) => early.push(line);
input.on("line", (line) => (line.trim() === "quit" ? leave() : deliver(line)));
input.on("close", leave);
process.stdout.on("error", () => process.exit(0)); // the reader is gone

require(program)()
  .then((engine) => {
    engine.addMessageListener((line) => process.stdout.write(line + "\n"));
    early.forEach((line) => engine.postMessage(line));
    deliver = (line) => engine.postMessage(line);
  })
  .catch((error) => fail(`the engine in ${packageDir} did not start: ${error}`));

function leave() {
  process.stdout.write("", () => process.exit(0));
}

function fail(message) {
  process.stderr.write(message + "\n");
  process.exit(1);
}
