import { setTimeout as wait } from 'node:timers/promises'
import { identityRegistries, type RegistryForm } from '@svc/wallet'
import { http, HttpResponse } from 'msw'
import { parseEther, type Address, type Hash } from 'viem'
import {
  baseUrl,
  chainId as aChainId,
  createFaultRules,
  type FaultRules,
  handlerSet,
  type HandlerSet,
  requireOptions,
} from './handler-set.ts'
import { answerRpc } from './simulated-chain/answer-rpc.ts'
import { createHandleRegistry } from './simulated-chain/handle-registry.ts'
import { createIdentityRegistry, type SimulatedAgent } from './simulated-chain/identity-registry.ts'
import { RpcError, createSimulatedChain, type SimulatedChain } from './simulated-chain/simulated-chain.ts'

/**
 * The endpoint of a chain that holds nothing but an identity registry: single and batched requests, signed
 * transactions checked and mined at once, the events of the contract, reads, logs. Ids count from 0; hashes follow from
 * the signed bytes. Throws `TypeError` for an option that is missing or wrong, and when the chain has no known registry and none is given.
 */
export function registryHandlers(options: RegistryHandlersOptions): RegistryHandlers {
  requireOptions('registryHandlers', options, { rpcUrl: baseUrl('http://chain.test'), chainId: aChainId })
  const { chainId, rpcUrl, balanceWei = parseEther('1'), seed = 'svc', form = 'erc8004-v1' } = options
  const address = options.registry ?? identityRegistries[chainId]?.identity
  if (address === undefined || address === null)
    throw new TypeError(`Chain ${chainId} has no known registry: give one.`)
  const registry = form === 'handle-v0' ? createHandleRegistry(address) : createIdentityRegistry(address)
  const chain = createSimulatedChain({ chainId, contract: registry, balanceWei, seed })
  const faults = createFaultRules(rpcFaults, options.faults, ofSends)
  const methods: string[] = []
  const handler = http.post(rpcUrl, async ({ request }) => {
    const body: unknown = await request.json().catch(() => undefined)
    if (body === undefined) return HttpResponse.json(failed(null, new RpcError(-32700, 'parse error')))
    const asked = Array.isArray(body) ? body : [body]
    const answers = []
    for (const call of asked) {
      const answer = await answerOne(chain, faults, methods, call)
      if (answer === 'drop') return HttpResponse.error()
      answers.push(answer)
    }
    return HttpResponse.json(Array.isArray(body) ? answers : answers[0])
  })
  return handlerSet([handler], {
    registry: address,
    agents: registry.agents,
    transactions: () => chain.blocks().flatMap(({ transaction }) => (transaction === null ? [] : [transaction.hash])),
    methods: () => [...methods],
    balanceOf: chain.balanceOf,
    fund: chain.fund,
    setFaults: faults.set,
  })
}

/** The handlers of {@link registryHandlers}. */
export type RegistryHandlers = HandlerSet<{
  readonly registry: Address
  /** By token id. */
  readonly agents: () => readonly SimulatedAgent[]
  /** Hashes of what was mined, in order. */
  readonly transactions: () => readonly Hash[]
  /** Every method that was asked, in order. */
  readonly methods: () => readonly string[]
  readonly balanceOf: (address: Address) => bigint
  readonly fund: (address: Address, wei: bigint) => void
  readonly setFaults: (faults: readonly RpcFault[]) => void
}>

/** Of {@link registryHandlers}. */
export type RegistryHandlersOptions = {
  readonly rpcUrl: string
  readonly chainId: number
  /** The chain's own in the table of `@svc/wallet` without. */
  readonly registry?: Address
  /** How it is spoken to: ERC-8004 without. */
  readonly form?: RegistryForm
  /** What every account holds at first; 1 ether without. */
  readonly balanceWei?: bigint
  readonly faults?: readonly RpcFault[]
  readonly seed?: string
}

/**
 * What goes wrong: `drop` breaks the connection, before the call is carried out or, with `after`, when it was; `delay`
 * answers late, the call being carried out at once; `error` refuses with a code of JSON-RPC; `revert` lets a transaction
 * that is sent fail in its block.
 */
export type RpcFault = (
  | { readonly fault: 'drop'; readonly after?: boolean }
  | { readonly fault: 'delay'; readonly delayMs: number }
  | { readonly fault: 'error'; readonly code: number; readonly message: string }
  | { readonly fault: 'revert' }
) & {
  /** Of JSON-RPC, `eth_sendRawTransaction` for example; all without. */
  readonly methods?: readonly string[]
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

const rpcFaults: Readonly<Record<RpcFault['fault'], true>> = { drop: true, delay: true, error: true, revert: true }

/** Only what is sent can revert: without methods named, nothing else uses such a rule up. */
function ofSends(fault: RpcFault): RpcFault {
  return fault.fault === 'revert' && fault.methods === undefined
    ? { ...fault, methods: ['eth_sendRawTransaction'] }
    : fault
}

async function answerOne(
  chain: SimulatedChain,
  faults: FaultRules<RpcFault>,
  methods: string[],
  call: unknown,
): Promise<object | 'drop'> {
  const { id = null, method, params = [] } = { id: undefined, method: undefined, params: undefined, ...Object(call) }
  if (typeof method !== 'string' || !Array.isArray(params)) return failed(id, new RpcError(-32600, 'invalid request'))
  methods.push(method)
  const fault = faults.take(method)
  if (fault?.fault === 'drop' && fault.after !== true) return 'drop'
  if (fault?.fault === 'error') return failed(id, new RpcError(fault.code, fault.message))
  const reverts = fault?.fault === 'revert'
  const answer = await answerRpc(chain, { method, params, reverts }).then(
    (result) => ({ jsonrpc: '2.0', id, result }),
    (error: unknown) => failed(id, error),
  )
  if (fault?.fault === 'delay') await wait(fault.delayMs, undefined, { ref: false })
  return fault?.fault === 'drop' ? 'drop' : answer
}

function failed(id: unknown, error: unknown): object {
  if (!(error instanceof RpcError)) throw error
  const { code, message, data } = error
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === null ? {} : { data }) } }
}
