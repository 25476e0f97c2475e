import { type Hex, hexToString, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { evaluatePolicy, type PolicyWorld } from './evaluate-policy.ts'
import { ProviderError } from './faults.ts'
import { find, type ProviderState, type ProviderWallet } from './provider-state.ts'
import type { WireRequest } from './wire-request.ts'

/**
 * Signs what the policy lets through and answers in the provider's form. Counts what it signed, for rolling windows.
 * Throws `ProviderError`: 400 `policy_violation`, or 400 for a method it does not sign by.
 */
export async function signRequest(
  state: ProviderState,
  wallet: ProviderWallet,
  policyIds: readonly string[],
  request: WireRequest,
  { nowMs, fault }: { readonly nowMs: number; readonly fault: 'other-key' | 'altered' | 'lax' | null },
): Promise<unknown> {
  const world: PolicyWorld = {
    nowMs,
    aggregation: (id) => state.aggregations.get(id) ?? null,
    conditionSet: (id) => state.conditionSets.get(id) ?? [],
    signed: wallet.signed,
  }
  for (const id of fault === 'lax' ? [] : policyIds) {
    const { action, rule } = evaluatePolicy(find(state.policies, id, 'Policy'), request, world)
    if (action === 'ALLOW') continue
    const why = rule === null ? 'no rule allows it' : `rule "${rule}" denies it`
    throw new ProviderError(400, 'policy_violation', `RPC request denied due to policy violation: ${why}.`)
  }
  // Counted before the signature is awaited, so that requests at the same time cannot share what is left of a window.
  wallet.signed.push({ atMs: nowMs, request })
  const key: Hex = fault === 'other-key' ? otherKey : wallet.privateKey
  return { method: request.method, data: await sign(key, fault === 'altered' ? alter(request) : request) }
}

async function sign(key: Hex, request: WireRequest): Promise<unknown> {
  const account = privateKeyToAccount(key)
  switch (request.kind) {
    case 'message':
      return { encoding: 'hex', signature: await account.signMessage({ message: request.message }) }
    case 'typed-data':
      return { encoding: 'hex', signature: await account.signTypedData({ ...request.typedData }) }
    case 'transaction':
      return { encoding: 'rlp', signed_transaction: await account.signTransaction(request.transaction) }
    case 'authorization': {
      const { address, chainId, nonce, r, s, yParity } = await account.signAuthorization(request.authorization)
      return { authorization: { contract: address, chain_id: chainId, nonce, r, s, y_parity: yParity } }
    }
    case 'other':
      break
  }
  throw new ProviderError(400, 'invalid_data', `The method ${request.method} is not served here.`)
}

/** Asked for one thing, signs another. */
function alter(request: WireRequest): WireRequest {
  switch (request.kind) {
    case 'transaction':
      return { ...request, transaction: { ...request.transaction, value: (request.transaction.value ?? 0n) + 1n } }
    case 'message':
      return {
        ...request,
        message: `${typeof request.message === 'string' ? request.message : hexToString(request.message.raw)}.`,
      }
    case 'authorization':
      return { ...request, authorization: { ...request.authorization, nonce: request.authorization.nonce + 1 } }
    case 'typed-data':
      return { ...request, typedData: { ...request.typedData, domain: { ...request.typedData.domain, version: 'x' } } }
    case 'other':
      break
  }
  return request
}

const otherKey = stringToHex('some other key', { size: 32 })
