import { isAddressEqual, numberToHex, type Hex } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import { field } from '../read-field.ts'
import { batchSponsors, type CallsContext } from './calls-context.ts'

/**
 * `wallet_getCapabilities` of EIP-5792: whether batches are atomic here (`ready`: the first one delegates the account) and
 * whether there is a paymaster that a client may name. Chains that the provider is not on are left out. Throws -32602 and 4100.
 */
export async function callsCapabilities(context: CallsContext, params: readonly unknown[]): Promise<Capabilities> {
  const { wallet, chain } = context
  const [address, chainIds] = params
  const own = await wallet.getAddress()
  if (address !== undefined && address !== null && !isAddressEqual(field.address({ address }, 'address'), own)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own} alone.`)
  }
  if (chainIds !== undefined && !Array.isArray(chainIds)) throw field.invalid('params[1]', 'a list of chain ids')
  const wanted = chainIds?.map((chainId: unknown) => field.quantity({ chainId }, 'chainId'))
  if (wanted !== undefined && !wanted.includes(BigInt(chain.id))) return {}
  const { bundlerUrl, paymasterUrl, clientPaymasterUrls } = batchSponsors(context)
  const isAtomic = bundlerUrl !== null && paymasterUrl !== null
  const supported = bundlerUrl !== null && clientPaymasterUrls.length > 0
  const atomic = { status: isAtomic ? await delegationOf(context) : 'unsupported' } as const
  return { [numberToHex(chain.id)]: { atomic, paymasterService: { supported } } }
}

/** What the wallet can do for batches, by the id of the chain in hex. */
export type Capabilities = Readonly<
  Record<
    Hex,
    {
      readonly atomic: { readonly status: 'supported' | 'ready' | 'unsupported' }
      readonly paymasterService: { readonly supported: boolean }
    }
  >
>

async function delegationOf({ client, wallet, sponsor }: CallsContext): Promise<'supported' | 'ready' | 'unsupported'> {
  const { chooseDelegation } = await import('../../user-operation/choose-delegation.ts')
  try {
    const { nonce } = await chooseDelegation(client, await wallet.getAddress(), sponsor?.allowDelegationTo)
    return nonce === null ? 'supported' : 'ready'
  } catch (error) {
    if (error instanceof WalletError && error.code === 'DELEGATION_NOT_ALLOWED') return 'unsupported'
    throw error
  }
}
