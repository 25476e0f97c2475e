// npm run bench -- NAME [--json] [--alarm]: runs one benchmark. Figures are ratios to a reference of the same run.
import { isMissed } from './parts/figure.mjs'

const [name, ...flags] = process.argv.slice(2).filter((word) => word !== '--')
const benchmarks = {
  mcp: './mcp.mjs',
  start: './start.mjs',
  write: './write.mjs',
  execute: './execute.mjs',
  wallet: './wallet.mjs',
  devnet: './devnet.mjs',
  'support-api': './support-api.mjs',
  lp: './lp.mjs',
  value: './value.mjs',
  'value-chain': './value-chain.mjs',
}
if (name === undefined || !Object.hasOwn(benchmarks, name)) {
  console.error(`npm run bench -- NAME [--json] [--alarm], NAME one of: ${Object.keys(benchmarks).join(', ')}`)
  process.exit(2)
}
const { run } = await import(benchmarks[name])
const figures = await run((line) => console.error(line))
if (flags.includes('--json')) {
  console.log(JSON.stringify({ figures }))
} else {
  for (const { name, value, unit, reference, bar, holds } of figures) {
    const verdict =
      bar === null
        ? 'reported'
        : holds === null
          ? 'not measured'
          : holds
            ? `holds (bar ${bar})`
            : `FALLS SHORT (bar ${bar})`
    console.log(`${name.padEnd(58)} ${String(value).padStart(9)} ${unit.padEnd(8)} ${verdict}  [${reference}]`)
  }
}
// A machine that is shared moves a figure: the alarm is for one that is lost, not for one that falls short there.
const times = flags.includes('--alarm') ? 3 : 1
const missed = figures.filter((figure) => isMissed(figure, times))
for (const { name: missing, value, bar } of missed)
  console.error(`missed: ${missing}, ${value} against a bar of ${bar}`)
process.exitCode = missed.length === 0 ? 0 : 1
