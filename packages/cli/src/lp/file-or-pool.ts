import { UsageError } from '../usage-error.ts'

/**
 * The file of bars that a call is about; `null` where `--chain` or `--pool` says that it is about a pool of a chain. Throws `UsageError`
 * for neither, both, two files, and for flags that mean nothing there, with the reason.
 */
export function fileOrPool(command: string, words: readonly string[], flags: PlaceFlags): string | null {
  const [file, more] = words
  const isOfPool = flags.chain !== undefined || flags.pool !== undefined
  if (isOfPool ? file !== undefined : file === undefined || more !== undefined) {
    throw new UsageError(
      `svc lp ${command} takes one CSV file of bars, or --chain and with it --pair A/B or --pool ID`,
      { seeHelp: true },
    )
  }
  refuseFlags(flags, isOfPool ? ofFilesAlone : ofPoolsAlone)
  return isOfPool ? null : (file ?? null)
}

/** Throws `UsageError` for the first flag that was given and means nothing here. */
export function refuseFlags(flags: object, reasons: Readonly<Record<string, string>>): void {
  for (const [name, reason] of Object.entries(reasons)) {
    if (Object.hasOwn(flags, name)) throw new UsageError(`--${name} has no place here: ${reason}`)
  }
}

/** Flags that only a file needs, and why. */
export const ofFilesAlone = {
  decimals: 'the chain tells the decimals of tokens',
  'tick-spacing': 'the chain tells it of a pool',
  'protocol-fee-pct': 'the chain tells it of a pool',
  'quote-usd': 'prices in dollars are read from the chain',
  'gas-usd': 'gas costs what it costs on the chain',
  'bar-seconds': 'the past of a pool is read in hours',
  'block-seconds': 'it is known of every chain',
}

const ofPoolsAlone = {
  'data-dir': 'a file needs no settings',
  start: 'a file is replayed as a whole',
  end: 'a file is replayed as a whole',
}

type PlaceFlags = { readonly chain?: string; readonly pool?: string }
