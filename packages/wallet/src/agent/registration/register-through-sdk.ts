import { decodeFunctionData, isAddressEqual, isHex, numberToHex, stringToHex, type Hex } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import type { AgentCard } from '../card/agent-card.ts'
import type { IdentitySdk } from './load-identity-sdk.ts'
import type { Submitted } from './recorded-call.ts'
import type { RegistrationContext } from './registration-context.ts'
import { identityRegistryAbi } from '../registry/identity-registry.ts'

/**
 * Has the identity SDK make the registration of a URI and hands its calldata to `send`. The SDK asks no address of the
 * card, pins nothing, and mints once. Its transaction is taken only when it registers our URI at our
 * registry with entries of the card.
 */
export async function registerThroughSdk(
  context: RegistrationContext,
  { SDK }: IdentitySdk,
  card: AgentCard,
  agentURI: string,
  send: (data: Hex) => Promise<Submitted>,
): Promise<void> {
  const { chain, registry, rpcUrl } = context
  const walletProvider = providerFor(context, (data) => {
    if (isAsked(data, agentURI, card)) return send(data)
    throw new TypeError('The SDK registers something else.')
  })
  const sdk = new SDK({
    chainId: chain.id,
    rpcUrl,
    walletProvider,
    registryOverrides: { [chain.id]: { IDENTITY: registry } },
  })
  const agent = call(sdk, 'createAgent', card.name, card.description, card.metadata['image'])
  call(agent, 'setMetadata', { ...card.metadata })
  await call(agent, 'registerHTTP', agentURI)
}

/** What the SDK asks of a wallet for one write. */
function providerFor({ chain, owner, registry }: RegistrationContext, send: (data: Hex) => Promise<Submitted>) {
  return {
    async request({ method, params }: { readonly method: string; readonly params?: unknown }): Promise<unknown> {
      if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [owner]
      if (method === 'eth_chainId') return numberToHex(chain.id)
      if (method !== 'eth_sendTransaction') throw new TypeError(`The registration needs no ${method}.`)
      const [{ to, data }] = transactionIn(params)
      if (!isAddressEqual(to, registry)) throw new TypeError('The SDK registers at another registry.')
      const { submission } = await send(data)
      if ('txHash' in submission && submission.txHash !== null) return submission.txHash
      throw new WalletError('REGISTRATION_NOT_OUT', 'No transaction is out yet.')
    },
  }
}

/** A registration of our URI with entries of the card, and nothing else: an SDK that was tampered with signs nothing. */
function isAsked(data: Hex, agentURI: string, { metadata }: AgentCard): boolean {
  try {
    const { functionName, args } = decodeFunctionData({ abi: identityRegistryAbi, data })
    if (functionName !== 'register') return false
    const [uri, entries = []] = args
    return (
      uri === agentURI &&
      entries.every(
        ({ metadataKey: key, metadataValue }) =>
          Object.hasOwn(metadata, key) && metadataValue === stringToHex(metadata[key] ?? ''),
      )
    )
  } catch {
    return false
  }
}

function transactionIn(params: unknown): [{ readonly to: Hex; readonly data: Hex }] {
  const transaction: unknown = Array.isArray(params) ? params[0] : null
  if (typeof transaction === 'object' && transaction !== null && 'to' in transaction && 'data' in transaction) {
    const { to, data } = transaction
    if (isHex(to) && isHex(data)) return [{ to, data }]
  }
  throw new TypeError('The SDK sent something that is no call.')
}

function call(target: unknown, method: string, ...words: readonly unknown[]): unknown {
  const member: unknown = typeof target === 'object' && target !== null ? Reflect.get(target, method) : null
  if (typeof member !== 'function') throw new TypeError(`The SDK has no ${method}.`)
  return Reflect.apply(member, target, words)
}
