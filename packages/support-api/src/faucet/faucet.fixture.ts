import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { openStore, type Store, type StorePlace } from '@svc/store'
import { placeMigrated } from '../../../store/src/migrated-file.fixture.ts'
import { Secret } from '@svc/wallet/core'
import type { Devnet } from '@svc/devnet'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { FaucetConfig } from '../config.ts'
import type { FaucetLog } from './endpoints.ts'
import { openFaucet, type Faucet } from './open-faucet.ts'
import type { GrantDesk } from './request-grant.ts'

/** Empty databases of both kinds. Starts PostgreSQL for the test file. */
export function usePlaces(): Readonly<Record<'SQLite' | 'PostgreSQL', () => Promise<Place>>> {
  const postgres = usePostgres()
  return {
    async SQLite() {
      const folder = await mkdtemp(join(tmpdir(), 'faucet-'))
      const path = join(folder, 'state.db')
      await placeMigrated(path)
      return { place: { path }, remove: () => rm(folder, { recursive: true }) }
    },
    async PostgreSQL() {
      return { place: { url: await postgres().newSchema(), patienceMs: 120_000 }, remove: async () => {} }
    },
  }
}

export type Place = { readonly place: StorePlace; remove(): Promise<void> }

/** One replica of a faucet on the local chain. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { place, config, log = quiet } = options
  const store = await openStore({ ...place, now: Date.now })
  const faucet = openFaucet({ config, store, holder: 'a test', log })
  const { client } = [...faucet.chains.values()][0] ?? {}
  const balanceWei = async () => (await client?.getBalance({ address: faucet.address })) ?? 0n
  const queueDepth = async (chainId: number) => (await store.claims.queue(chainId)).depth
  const desk: GrantDesk = { faucet, claims: store.claims, config, balanceWei, queueDepth, log }
  return { store, faucet, desk }
}

/** The settings of a faucet with a fresh wallet that the local chain has funded. */
export async function fundedConfig(devnet: Devnet, ether: string): Promise<FaucetConfig> {
  const privateKey = generatePrivateKey()
  await devnet.fund(privateKeyToAddress(privateKey), { ETH: ether })
  return {
    privateKey: new Secret(privateKey),
    chains: [{ chain: devnet.chain, rpcUrls: [devnet.rpcUrl] }],
    perAppPerDay: 1_000,
    perNetworkPerDay: 1_000,
    perChainPerDay: 1_000,
    targetCeilingWei: null,
  }
}

export type ReplicaOptions = {
  readonly place: StorePlace
  readonly config: FaucetConfig
  readonly log?: FaucetLog
}

export type Replica = { readonly store: Store; readonly faucet: Faucet; readonly desk: GrantDesk }

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
