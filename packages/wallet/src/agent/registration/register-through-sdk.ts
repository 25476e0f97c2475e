import { decodeFunctionData, type Hex, isAddressEqual, isHex, numberToHex, stringToHex } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import type { AgentCard } from '../card/agent-card.ts'
import { identityRegistryAbi } from '../registry/identity-registry.ts'
import type { Submitted } from './recorded-call.ts'
import type { RegistrationContext } from './registration-context.ts'
import type { IpfsMode } from './registration.ts'

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
      const details = { chainId: chain.id, registry }
      throw new WalletError('REGISTRATION_NOT_OUT', 'No transaction is out yet.', { details })
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

/** The identity SDK (`agent0-sdk`), or `null` where it is not installed or cannot be loaded, which is a warning. */
export async function loadIdentitySdk(context: SdkContext, mode: IpfsMode): Promise<IdentitySdk | null> {
  const { options, attempts, warnings } = context
  const skip = (reason: string) => {
    const tier = mode === 'inline' ? 'sdk-inline' : 'sdk-ipfs'
    attempts.push({ kind: 'registration', tier, outcome: 'skipped', reason })
    return null
  }
  try {
    const module = await (options.loadIdentitySdk ?? importInstalled)()
    if (isIdentitySdk(module)) return module
    warnings.push('The identity SDK that is installed has no class SDK; the registry was called directly.')
    return skip('The identity SDK has another shape.')
  } catch (error) {
    if (isMissing(error)) return skip('The identity SDK is not installed.')
    const reason = `The identity SDK is installed and cannot be loaded: ${firstLine(error)}`
    warnings.push(`${reason} The registry was called directly.`)
    attempts.push({ kind: 'registration', tier: 'sdk-ipfs', outcome: 'failed', code: 'IDENTITY_SDK_FAILED', reason })
    return null
  }
}

/** What of the context bears on the SDK. */
type SdkContext = Pick<RegistrationContext, 'attempts' | 'warnings'> & {
  readonly options: Pick<RegistrationContext['options'], 'loadIdentitySdk'>
}

/** What of `agent0-sdk` 1.5 and later is used. */
export type IdentitySdk = { readonly SDK: new (config: object) => unknown }

const packageName = 'agent0-sdk'

/** The name in a constant, so that neither compilers nor bundlers want the package. */
function importInstalled(): Promise<unknown> {
  return import(packageName)
}

/** A package that the SDK itself lacks is another thing, though its message names the SDK as well. */
function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isNotFound && /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1] === packageName
}

/** What this machine's own loader says, as a sentence. */
function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')
  return `${line.slice(0, 300).replace(/\.$/, '')}.`
}

function isIdentitySdk(value: unknown): value is IdentitySdk {
  return typeof value === 'object' && value !== null && 'SDK' in value && typeof value.SDK === 'function'
}
