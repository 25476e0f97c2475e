import type { Chain } from '@svc/wallet/core'
import {
  BaseError,
  createPublicClient,
  defineChain,
  type EIP1193RequestFn,
  type PublicClient,
  type Transport,
} from 'viem'
import { ToolError } from '../tool-error.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import { requireResult } from './require-result.ts'

/** Off-chain lookups are off: a contract must not make the server fetch a URL of its choice. */
export function createRingClient(chain: Chain, ask: AskRing): PublicClient {
  const client = createPublicClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.nativeCurrency,
      rpcUrls: { default: { http: [] } },
      contracts: { multicall3: { address: chain.multicall3 } },
    }),
    transport: ringTransport(ask),
    cacheTime: 0,
    ccipRead: false,
    pollingInterval: Math.min(4_000, Math.max(50, chain.blockTimeSeconds * 500)),
  })
  return withToolErrors(client)
}

/** The same client, whose actions reject with the `ToolError` behind viem's wrappers where there is one. */
function withToolErrors(client: PublicClient): PublicClient {
  return new Proxy(client, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || key === 'extend') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        return result instanceof Promise ? result.catch(unwrap) : result
      }
    },
  })
}

function unwrap(error: unknown): never {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ToolError) throw current
  }
  throw error
}

/** A viem transport over a way to ask a ring of endpoints. A `ToolError` travels as the cause of a viem error, for viem wraps what it catches. */
function ringTransport(askRing: AskRing): Transport<'ring'> {
  const ask: RpcRequest = async (args, options) => {
    try {
      return await askRing(args.method, (request) => answerOf(request, args, options), aboutOf(args))
    } catch (error) {
      if (error instanceof ToolError) throw new BaseError('The chain could not be read.', { cause: error })
      throw error
    }
  }
  const request = ask as EIP1193RequestFn
  return () => ({ config: { key: 'ring', name: 'Ring of endpoints', type: 'ring', request, retryCount: 0 }, request })
}

export type AskRing = <Result>(
  method: string,
  act: (request: RpcRequest) => Promise<Result>,
  about: About,
) => Promise<Result>

export type About = {
  /** The signed bytes of a transaction: what tells that it is offered again. */
  readonly raw: string | undefined
  /** The number of the block that is asked about; `null` where none is named. */
  readonly block: bigint | null
}

function aboutOf({ method, params }: Parameters<RpcRequest>[0]): About {
  const listed: readonly unknown[] = Array.isArray(params) ? params : []
  const [raw] = isTransaction(method) ? listed : []
  const block = listed.findLast((one) => typeof one === 'string' && /^0x[0-9a-f]{1,16}$/.test(one))
  return {
    raw: typeof raw === 'string' ? raw : undefined,
    block: typeof block === 'string' ? BigInt(block) : null,
  }
}

/** An answer that the method cannot have is the endpoint's fault, as none would be. */
async function answerOf(request: RpcRequest, ...[args, options]: Parameters<RpcRequest>): Promise<unknown> {
  const result = await request(args, options)
  await requireResult(args.method, args.params, result)
  return result
}
