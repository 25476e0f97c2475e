import { fullRangeTicks, LpMathError, tickSpacingForFee } from '@svc/lp-math'
import { parseFee, parseWholeNumber, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { printableText } from '../terminal-text.ts'
import { readInputText } from '../read-input-file.ts'
import { UsageError } from '../usage-error.ts'
import { type AskedPosition, replayEvents, type ReplayReport, type ReplayTerms } from './events/replay-events.ts'
import { parseTime, type PoolEvents, readPoolEvents } from './events/read-pool-events.ts'

/** `svc lp replay`: replays the events of a pool out of a file, and says how the pool stands, or where the file contradicts itself. */
export async function replay(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, { values: flagNames, switches: ['added', 'json'] })
  const [file, more] = words
  if (file === undefined || more !== undefined) {
    throw new UsageError('svc lp replay takes one file of events, JSON lines or CSV', { seeHelp: true })
  }
  const asked = readPosition(flags)
  const read = await readEventsFile(file)
  const report = replayed(file, () => replayEvents(read, termsOf(read, flags), asked))
  if (report.position?.fees0 === null) throw new UsageError(noSuchPosition)
  process.stdout.write(
    printableText(flags.json ? `${JSON.stringify({ file, ...report })}\n` : showReplay(file, report)),
  )
  return report.mismatch === null ? 0 : 1
}

const flagNames = ['fee', 'tick-spacing', 'lower', 'upper', 'liquidity', 'start', 'end'] as const

type ReplayFlags = Readonly<Partial<Record<(typeof flagNames)[number], string>>> & { readonly added: boolean }

/** The events of a file. Throws Error naming it with what is wrong on which line. */
export async function readEventsFile(file: string): Promise<PoolEvents> {
  const text = await readInputText(file, 'a file of the events of a pool', maxBytes)
  try {
    return readPoolEvents(text)
  } catch (cause) {
    throw new Error(`EVENTS_FILE_INVALID: ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Some hundred thousand events. */
const maxBytes = 256 << 20

/** What the events of a v3 pool do not tell; those of a v4 pool tell all. Throws `UsageError`. */
export function termsOf(read: PoolEvents, flags: Pick<ReplayFlags, 'fee' | 'tick-spacing'>): ReplayTerms {
  if (read.version === 'v4') {
    for (const name of ['fee', 'tick-spacing'] as const) {
      if (flags[name] !== undefined)
        throw new UsageError(`--${name} has no place here: the Initialize of a v4 pool tells it`)
    }
    return null
  }
  const feePips = parseFee(flags.fee)
  if (feePips === undefined) throw new UsageError('the events of a v3 pool need --fee, in millionths: 500 is 0.05 %')
  const spacing = parseWholeNumber('--tick-spacing', flags['tick-spacing'], 1, 16_383)
  if (spacing === undefined && ![100, 500, 3000, 10_000].includes(feePips)) {
    throw new UsageError(`a fee of ${feePips} has no tick spacing of its own: name it with --tick-spacing`)
  }
  return { feePips, tickSpacing: spacing ?? tickSpacingForFee(feePips) }
}

/** What no pool can be told of is refused by its code. */
function replayed(file: string, run: () => ReplayReport): ReplayReport {
  try {
    return run()
  } catch (error) {
    throw error instanceof LpMathError ? new Error(`${error.code}: ${file}: ${error.message}`, { cause: error }) : error
  }
}

function readPosition(flags: ReplayFlags): AskedPosition | null {
  const { lower, upper, liquidity, added } = flags
  const given = [lower, upper, liquidity].filter((text) => text !== undefined)
  if (given.length === 0 && !added && flags.start === undefined && flags.end === undefined) return null
  if (given.length < 3) throw new UsageError('a position takes --lower, --upper and --liquidity, all three')
  const [tickLower, tickUpper] = [readTick('--lower', lower), readTick('--upper', upper)]
  if (tickLower >= tickUpper) throw new UsageError(`--lower ${tickLower} is not below --upper ${tickUpper}`)
  if (!/^[1-9]\d{0,38}$/.test(liquidity ?? '')) {
    throw new UsageError(`--liquidity takes a whole number above 0, not "${(liquidity ?? '').slice(0, 40)}"`)
  }
  if (!added && (flags.start ?? flags.end) !== undefined) {
    throw new UsageError('--start and --end are of a position with --added: another counts from its mint to its burn')
  }
  const times = { from: parseTime('--start', flags.start) ?? 0, until: parseTime('--end', flags.end) ?? Infinity }
  return { tickLower, tickUpper, liquidity: BigInt(liquidity ?? 0), added: added ? times : null }
}

function readTick(flag: string, text: string | undefined): number {
  const { tickUpper: most } = fullRangeTicks(1)
  const tick = /^-?\d{1,6}$/.test(text ?? '') ? Number(text) : Number.NaN
  if (Math.abs(tick) <= most) return tick
  throw new UsageError(
    `${flag} takes a tick from -${most} to ${most} (${flag}=-120 where negative), not "${(text ?? '').slice(0, 40)}"`,
  )
}

const noSuchPosition =
  'no event mints just this liquidity in this range: name one that is in the file, or say --added for one that would have stood beside what was there'

/** A replay for a person. */
function showReplay(
  file: string,
  { version, events, from, until, state, trade, position, mismatch }: ReplayReport,
): string {
  return [
    `${file}: ${events} events of a ${version} pool, ${from} to ${until}`,
    `Price ${state.sqrtPriceX96} (Q64.96), tick ${state.tick}, liquidity ${state.liquidity}; ${state.initialisedTicks} initialised ticks, ${state.positions} positions.`,
    `${trade.swaps} swaps paid in ${trade.volume0} of token0 and ${trade.volume1} of token1; providers got ${trade.providerFees0} and ${trade.providerFees1}.`,
    ...(position === null ? [] : [showPosition(position)]),
    ...(mismatch === null ? [] : showMismatch(mismatch)),
    '',
  ].join('\n')
}

function showPosition(position: NonNullable<ReplayReport['position']>): string {
  const { tickLower, tickUpper, liquidity, isAdded, from, until, mintedOnLine, fees0, fees1 } = position
  const span = `${from ?? 'its first event'} to ${until ?? 'the end'}`
  const what = isAdded
    ? `added beside what was there, sharing the same trade, ${span}`
    : `minted on line ${mintedOnLine}, ${span}`
  return `Position ${tickLower} to ${tickUpper}, liquidity ${liquidity} (${what}): fees ${fees0} of token0 and ${fees1} of token1, in smallest units.`
}

function showMismatch({ line, event, code, message, fields, fix }: NonNullable<ReplayReport['mismatch']>): string[] {
  return [
    '',
    `${code}: line ${line}, ${event}: ${message} All of the above is as of the line before.`,
    ...fields.map(
      ({ field, logged, replayed }) => `  ${field}: the file says ${logged}, the replay comes to ${replayed}`,
    ),
    `  ${fix}`,
  ]
}
