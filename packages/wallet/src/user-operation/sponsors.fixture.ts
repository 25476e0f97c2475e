import { startFakeBundler, startPaymaster, type FakeBundler, type Paymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, encodeFunctionData, http, parseEventLogs, type Log, type PublicClient } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect } from 'vitest'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import { ServiceWallet } from '../service-wallet.ts'
import type { Signer } from '../signer.ts'
import { createLocalSigner } from '../signers/local-signer.ts'
import { WalletError } from '../wallet-error.ts'
import type { UserOperationProgress } from './open-bundler.ts'
import type { SendUserOpOptions, UserOperationResult } from './user-operation-result.ts'
import type { SignedUserOperation, UserOperationRecord } from './signed-user-operation.ts'

/** A bundler, a paymaster and a wallet that holds nothing, new for every test of a file, on a local chain. */
export function useSponsors() {
  const devnet = useDevnet()
  const world: Partial<World> = {}
  const part = <Key extends keyof World>(key: Key): NonNullable<World[Key]> => {
    const value = world[key]
    if (value === undefined) throw new Error('Bundler, paymaster and wallet are there inside a test.')
    return value
  }
  const walletOf = (signer: Signer) =>
    new ServiceWallet({ mode: 'local', signer, chainId: 31337, rpcUrls: { 31337: devnet().rpcUrl } })
  const client = (): PublicClient => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
  beforeEach(async () => {
    world.bundler = await startFakeBundler({ devnet: devnet() })
    world.paymaster = await startPaymaster({ devnet: devnet() })
    world.signatures = []
    world.wallet = walletOf(counting(createLocalSigner(generatePrivateKey()), world.signatures))
  })
  afterEach(async () => {
    await world.bundler?.stop()
    await world.paymaster?.stop()
  })
  const options = (change: Partial<SendUserOpOptions> = {}): SendUserOpOptions => ({
    target: devnet().registry.identity,
    data: encodeFunctionData({ abi, functionName: 'register', args: [uri] }),
    paymaster: part('paymaster').url,
    bundlerUrl: part('bundler').url,
    env: {},
    ...change,
  })
  /** Leaves as soon as the bundler has answered to the offer, however long a slow machine takes until then. */
  const offered = async (wanted: SendUserOpOptions, by = part('wallet')): Promise<UserOperationResult> => {
    const leaving = new AbortController()
    const onProgress = ({ step }: UserOperationProgress) => {
      if (step === 'confirm') leaving.abort()
    }
    return await by.sendUserOp({ ...wanted, signal: leaving.signal, onProgress })
  }
  return {
    devnet,
    options,
    walletOf,
    client,
    get bundler() {
      return part('bundler')
    },
    get paymaster() {
      return part('paymaster')
    },
    get wallet() {
      return part('wallet')
    },
    set wallet(wallet) {
      world.wallet = wallet
    },
    /** What the wallet signed, in order. */
    get signatures() {
      return part('signatures')
    },
    mined: async (wanted: SendUserOpOptions, by = part('wallet')) => {
      const result = await by.sendUserOp(wanted)
      if (result.status !== 'mined') throw new Error(`It is ${result.status}: ${result.declined}`)
      return result
    },
    offered,
    pending: async (wanted: SendUserOpOptions, by = part('wallet')) => {
      const result = await offered(wanted, by)
      if (result.status !== 'pending') throw new Error(`It is ${result.status}.`)
      return result.operation
    },
    /** How many agents the wallet has. */
    agents: () =>
      client().readContract({
        address: devnet().registry.identity,
        abi,
        functionName: 'balanceOf',
        args: [part('wallet').address],
      }),
    /** Has the bundler execute what it holds, and waits for the block. */
    async release() {
      const before = await client().getBlockNumber()
      await part('bundler').release()
      await expect.poll(() => client().getBlockNumber()).toBeGreaterThan(before)
    },
    /** A bundler that was offered nothing yet. */
    async restartBundler() {
      await part('bundler').stop()
      world.bundler = await startFakeBundler({ devnet: devnet() })
    },
  }
}

export const uri = 'data:,agent'

/** A record as a file would keep it: as text. */
export function keeping(): UserOperationRecord {
  let kept = 'null'
  return {
    load: async () => JSON.parse(kept) as SignedUserOperation | null,
    save: async (operation) => {
      if (operation !== null && ![JSON.stringify(operation), 'null'].includes(kept)) {
        throw new WalletError('REQUEST_CONFLICT', 'Another operation is kept.', { details: { requestId: 'kept' } })
      }
      kept = JSON.stringify(operation)
    },
  }
}

/** The owners of the agents that logs show as registered. */
export function registeredIn(logs: readonly Log[]) {
  return parseEventLogs({ abi, eventName: 'Registered', logs: [...logs] }).map(({ args }) => args.owner)
}

type World = {
  bundler: FakeBundler
  paymaster: Paymaster
  wallet: ServiceWallet
  signatures: string[]
}

function counting(signer: Signer, signatures: string[]): Signer {
  return {
    ...signer,
    signTypedData: (typedData) => {
      signatures.push('typed data')
      return signer.signTypedData(typedData)
    },
    signAuthorization: (authorization) => {
      signatures.push('authorization')
      return signer.signAuthorization(authorization)
    },
  }
}
