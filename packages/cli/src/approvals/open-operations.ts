import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import {
  type Leader,
  type Ledger,
  type Memory,
  openStore,
  type Operation,
  type Operations,
  type Store,
  type StorePlace,
  type Transactions,
} from '@svc/store'
import type { OperationDescription } from '@svc/engine/approvals'
import type { SwitchPlace } from '@svc/engine/switches'
import { describeOne } from '@svc/tool-server/operator-page'
import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import type { RestoredCopy } from '@svc/store/backup'
import { join } from 'node:path'
import { meantDirectory } from '../own-data-directory.ts'
import { readOperatorConfig } from '@svc/tool-server/operator-config'

/**
 * Opens the operations of a server beside it: no lock is taken, each method is a short transaction of its own. The place is
 * the flag's, else that of the server's own settings. Throws, and creates nothing, where no server has kept its state.
 */
export async function openOperations(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenOperations> {
  const config = await statePlace(dataDir, environment)
  const store = await openStore({ ...config.place, now: Date.now })
  return {
    operations: store.operations,
    transactions: store.transactions,
    orders: store.orders,
    dataDir: config.dataDir,
    usage: (principalId, options) => store.ledger.usage(principalId, options),
    budgetUsage: (name) => store.ledger.budgetUsage(name),
    sightings: store.sightings,
    memory: store.memory,
    signIns: store.signIns,
    place: switchPlace(config.dataDir, store),
    leader: async () => (await store.leadership?.read()) ?? null,
    close: () => store.close(),
  }
}

export type OpenOperations = {
  readonly operations: Operations
  /** What the wallet signed. */
  readonly transactions: Transactions
  /** What the wallet signed for others to fill. */
  readonly orders: Pick<Store['orders'], 'open'>
  readonly dataDir: string
  /** What counts against the limits of a principal. */
  readonly usage: Ledger['usage']
  /** What counts of a budget of value. */
  readonly budgetUsage: Ledger['budgetUsage']
  /** What the server remembers of prices. */
  readonly sightings: Pick<Store['sightings'], 'recall'>
  /** What callers had it remember. */
  readonly memory: Memory
  /** What servers that sign wallets in share. */
  readonly signIns: Pick<Store['signIns'], 'rotate' | 'revoke' | 'restore'>
  /** Where what stops signing stands. */
  readonly place: SwitchPlace
  /** Which server writes, of those that share a database; `null` where one has the state, or none has led yet. */
  readonly leader: () => Promise<Leader | null>
  close(): Promise<void>
}

function switchPlace(dataDir: string, { leadership, switches }: Store): SwitchPlace {
  return leadership === null ? { dataDir } : { dataDir, sharedSwitches: switches }
}

/** Where the state of a server stands: the place is the flag's, else that of its own settings. Throws where no server has kept any. */
export async function statePlace(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly dataDir: string; readonly chainsFile: string | null; readonly place: StorePlace }> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const config = readOperatorConfig(dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir })
  return { dataDir: config.dataDir, chainsFile: config.chainsFile, place: await placeOf(config) }
}

/** What stops signing of the server of a directory, and the copy that its state was put back from, beside it. */
export async function openSwitches(
  dataDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenSwitches> {
  const config = readOperatorConfig({ ...environment, SVC_DATA_DIR: dataDir })
  if (config.databaseUrl === null && !existsSync(join(dataDir, 'state.db'))) {
    return { place: { dataDir }, restored: null, close: async () => undefined }
  }
  const store = await openStore({ ...(await placeOf(config)), now: Date.now })
  const copy = await store.restored.read()
  const restored = copy === null ? null : { copy, release: () => store.restored.release() }
  return { place: switchPlace(dataDir, store), restored, close: () => store.close() }
}

export type OpenSwitches = {
  readonly place: SwitchPlace
  /** `null` where no copy waits to be released, or no server has kept any state. */
  readonly restored: { readonly copy: RestoredCopy; release(): Promise<void> } | null
  close(): Promise<void>
}

async function placeOf({ dataDir, databaseUrl }: ReturnType<typeof readOperatorConfig>): Promise<StorePlace> {
  if (databaseUrl !== null) return { url: databaseUrl.reveal() }
  const path = join(dataDir, 'state.db')
  try {
    await access(path)
  } catch {
    const meant = await meantDirectory(dataDir)
    throw new Error(
      `${dataDir} holds no state of a server. ${meant}Name the server's data directory with --data-dir or SVC_DATA_DIR.`,
    )
  }
  return { path }
}

/** The operation of this id and what a person is shown of it. Throws when there is none. */
export async function findOperation(
  { operations }: OpenOperations,
  id: string,
): Promise<{ readonly operation: Operation; readonly description: OperationDescription }> {
  const operation = await operations.byId(id)
  if (operation === null) throw new Error(`There is no operation ${id}. ${await whatWaits(operations)}`)
  return { operation, description: await describeOne(operations, operation) }
}

async function whatWaits(operations: Operations): Promise<string> {
  const awaiting = await operations.inTurns({
    states: ['awaiting_approval'],
    order: 'newest',
    perPrincipal: mostNamed,
    limit: mostNamed,
  })
  const ids = awaiting.map((operation) => operation.id).join(', ')
  const waits = ids === '' ? 'None awaits a decision' : `Awaiting a decision: ${ids}`
  return `${waits}; svc approvals list --all shows every one.`
}

const mostNamed = 5

/** Splits the words after a subcommand into the id of an operation and its flags, in any order. Throws `UsageError`. */
export function readIdAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly id: string; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [id, more] = words
  if (id === undefined || more !== undefined || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new UsageError(`svc approvals ${subcommand} takes the id of one operation; svc approvals list shows them`)
  }
  return { id, flags }
}
