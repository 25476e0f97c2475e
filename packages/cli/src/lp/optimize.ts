import { parseWholeNumber } from '../parse-whole-number.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { csvPoolFlags, readCsvPool } from './csv-pool.ts'
import { optimizeCsv, targets } from './optimize-csv.ts'
import { parseNumber } from './parse-number.ts'
import { picturedRange } from './pictured-range.ts'
import { showRange } from './show-range.ts'
import { writeSvg } from './write-svg.ts'

/** `svc lp optimize FILE`: chooses a range for the pool that the bars of a CSV file are of. */
export async function optimize(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [
      ...csvPoolFlags,
      'amount',
      'horizon-days',
      'risk',
      'volatility',
      'block-seconds',
      'simulations',
      'seed',
      'svg',
    ],
    switches: ['json'],
  })
  const [file, more] = words
  if (file === undefined || more !== undefined) throw new UsageError('svc lp optimize takes one CSV file of bars')
  const options = {
    amountUsd: parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000,
    horizonDays: parseNumber('--horizon-days', flags['horizon-days'], 0.05, 365) ?? 30,
    blockSeconds: parseNumber('--block-seconds', flags['block-seconds'], 0.001, 86_400) ?? 12,
    risk: oneOf('--risk', flags.risk ?? 'moderate', Object.keys(targets) as (keyof typeof targets)[]),
    volatilitySource: oneOf('--volatility', flags.volatility ?? 'historical', ['historical', 'implied']),
    simulations: parseWholeNumber('--simulations', flags.simulations, 64, 1_000_000) ?? 5_000,
    seed: parseWholeNumber('--seed', flags.seed, 0, 4_294_967_295) ?? 1,
  }
  const report = optimizeCsv(await readCsvPool(file, flags), { ...options, now: Date.now, onProgress })
  if (flags.svg !== undefined) {
    await writeSvg(flags.svg, ({ rangePicture }) => rangePicture(picturedRange(report), options.horizonDays))
  }
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : showRange(report))
  return 0
}

function oneOf<const One extends string>(flag: string, text: string, all: readonly One[]): One {
  const found = all.find((one) => one === text)
  if (found === undefined) throw new UsageError(`${flag} takes ${all.join(', ')}, not "${text.slice(0, 40)}"`)
  return found
}

/** On a terminal alone: who reads a file of it has no use for a line that is written over. */
function onProgress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(done < all ? `\r${done} of ${all} paths` : '\r\u001B[K')
}
