// The plain simulations of bench/references as children that answer one line with one line.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { model } from './lp-world.mjs'

const source = (name) => fileURLToPath(new URL(`../references/${name}`, import.meta.url))

/** `ask` is null where the machine has no python3 with numpy; `why` says so. */
export function startNumpyReference() {
  if (spawnSync('python3', ['-c', 'import numpy']).status !== 0) return absent('no python3 with numpy here')
  const child = startLines('python3', [source('lp-simulation.py')])
  const infiniteIsNull = ({ lower, upper }) => [lower, Number.isFinite(upper) ? upper : null]
  const ask = ({ bounds, ...run }) =>
    child.ask(JSON.stringify({ ...model, ...run, bounds: bounds.map((range) => infiniteIsNull(range)) }))
  return { ask, stop: child.stop }
}

/** Compiles into a temporary folder; `ask` is null where there is no compiler. */
export function startCReference() {
  const folder = mkdtempSync(join(tmpdir(), 'lp-simulation-'))
  const program = join(folder, 'lp-simulation')
  const flags = ['-O3', '-march=native', '-ffast-math', '-std=gnu11', '-o', program]
  if (spawnSync('cc', [...flags, source('lp-simulation.c'), '-lm']).status !== 0) {
    rmSync(folder, { recursive: true })
    return absent('no C compiler here')
  }
  const child = startLines(program, [])
  const { price, sigma, drift, years } = model
  const ask = ({ mode, paths, steps, bounds }) => {
    const edges = bounds.flatMap(({ lower, upper }) => [lower, Math.min(upper, 1e308)])
    return child.ask([mode, paths, steps, price, sigma, drift, years, ...edges].join(' '))
  }
  const stop = () => {
    child.stop()
    rmSync(folder, { recursive: true })
  }
  return { ask, stop }
}

function absent(why) {
  return { ask: null, why, stop: () => {} }
}

function startLines(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (line) => {
    child.stdin.write(`${line}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`${command} ended`)
    return JSON.parse(value)
  }
  return { ask, stop: () => child.kill() }
}
