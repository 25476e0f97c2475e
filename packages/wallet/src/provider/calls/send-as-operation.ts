import { offerUserOperation } from '../../user-operation/open-bundler.ts'
import { openOperation } from '../../user-operation/open-operation.ts'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'
import { signUserOperation } from '../../user-operation/sign-user-operation.ts'
import { WalletError } from '../../wallet-error.ts'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import type { CallsContext } from './calls-context.ts'
import type { Sponsored } from './send-calls.ts'

/**
 * Signs calls as one user operation, has it kept, and offers it to the bundler once; it does not wait for its end. What it
 * throws, it throws with nothing offered: 5750 for a wallet that does not delegate its account, and what
 * `signUserOperation` and `keep` throw.
 */
export async function sendAsOperation(
  context: CallsContext,
  { calls, paymasterUrl, paymasterContext }: Sponsored,
  keep: (operation: SignedUserOperation) => Promise<void>,
): Promise<void> {
  const { wallet, sponsor, env, chain, client, rpcUrl } = context
  const { paymasterContext: _own, ...others } = sponsor ?? {}
  const operating = await openOperation(
    wallet,
    { chain, client, rpcUrl },
    { ...others, env, paymasterUrl, ...(paymasterContext && { paymasterContext }) },
  )
  const wanted = calls.map(({ to, data, valueWei }) => ({ target: to, data, valueWei }))
  const signed = await signUserOperation(operating, wanted).catch((cause: unknown) => {
    if (!(cause instanceof WalletError && cause.code === 'SIGNING_UNSUPPORTED')) throw cause
    throw new ProviderRpcError(rpcCodes.upgradeRejected, 'The wallet signs no delegation (EIP-7702).', { cause })
  })
  await keep(signed)
  await offerUserOperation(operating.bundler, signed)
}
