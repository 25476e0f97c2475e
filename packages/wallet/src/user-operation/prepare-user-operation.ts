import { BaseError, createClient, custom, isHex, type Hex, type LocalAccount } from 'viem'
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint08Abi,
  entryPoint08Address,
  toSimple7702SmartAccount,
  type PaymasterActions,
  type UserOperation,
} from 'viem/account-abstraction'
import { toAccount } from 'viem/accounts'
import { feesNow } from '../sender/fees-now.ts'
import { WalletError } from '../wallet-error.ts'
import { gasLimitsOf, paymentOf, requireFees, type Fees } from './bounded-answers.ts'
import type { Delegation } from './choose-delegation.ts'
import { answeredError, serviceTransport, type Bundler } from './open-bundler.ts'
import type { OperationContext, OperationCall } from './open-operation.ts'
import { revertDataIn, revertReason } from './revert-reason.ts'
import { encodeCalls } from './simple-7702-account.ts'
import { endpointFailure } from '../endpoint-failure.ts'

/**
 * Prepares the operation of calls: nonce, fees, gas and what the paymaster adds. Of the bundler's answers it takes the gas
 * limits, of the paymaster's who pays, each within bounds; the rest is as the wallet put it in, whatever they hold. Nothing
 * is signed; where bundler and paymaster need a signature to reckon with, they get one that fits nothing. Throws
 * `USER_OPERATION_REVERTED` when the call would revert, `PAYMASTER_REFUSED`, `BUNDLER_UNAVAILABLE` or `RPC_UNAVAILABLE`.
 */
export async function prepareUserOperation(
  context: OperationContext,
  calls: readonly OperationCall[],
  { implementation, nonce: authorizationNonce }: Delegation,
): Promise<UserOperation<'0.8'>> {
  const { client, chain, bundler, paymaster, owner } = context
  const [nonce, fees] = await Promise.all([nonceOf(context), feesOf(context)])
  const viemChain = { ...chain, rpcUrls: { default: { http: [] } } }
  const node = createClient({ chain: viemChain, transport: custom({ request: client.request }, { retryCount: 0 }) })
  const account = await toSimple7702SmartAccount({ client: node, owner: unsigning(owner), implementation })
  const asking = createBundlerClient({
    account,
    client: node,
    chain: viemChain,
    transport: serviceTransport(bundler.url, bundler.requestTimeoutMs),
    paymaster: payingBy(paymaster.bundler, owner),
    ...(paymaster.context && { paymasterContext: paymaster.context }),
  })
  const authorization = { address: implementation, chainId: chain.id, nonce: authorizationNonce ?? 0, ...noSignature }
  const delegating = authorizationNonce === null ? {} : { ...marker, authorization }
  // In time for the paymaster, whose signature covers it.
  const given = context.callGasLimit === undefined ? {} : { callGasLimit: context.callGasLimit }
  const own = { callData: encodeCalls(calls), nonce, ...fees, ...delegating, ...given }
  const answered = await asking.prepareUserOperation(own).catch((error: unknown) => {
    throw preparationFailed(error)
  })
  // Put together anew: the client spreads whatever it was answered over the operation.
  const { signature } = answered
  return { sender: owner, ...own, ...gasLimitsOf(answered), ...given, ...paymentOf(answered, owner), signature }
}

/** Of key 0: operations of one account then run in the order of their nonces. */
async function nonceOf({ client, owner }: OperationContext): Promise<bigint> {
  return client
    .readContract({ address: entryPoint08Address, abi: entryPoint08Abi, functionName: 'getNonce', args: [owner, 0n] })
    .catch((cause: unknown) => {
      throw endpointFailure('The endpoint does not say the nonce at the entry point.', cause)
    })
}

/** What the bundler asks, where it says so; else a quarter above what the chain asks. */
async function feesOf({ bundler, chain, client }: OperationContext): Promise<Fees> {
  const [asked, { lasting }] = await Promise.all([
    bundler.request('pimlico_getUserOperationGasPrice', []).catch(() => null),
    feesNow(client, chain),
  ]).catch((cause: unknown) => {
    throw endpointFailure('The endpoint does not say what gas costs.', cause)
  })
  const standard = memberOf(asked, 'standard')
  const [most, tip] = [memberOf(standard, 'maxFeePerGas'), memberOf(standard, 'maxPriorityFeePerGas')]
  if (isHex(most) && isHex(tip)) {
    return requireFees({ maxFeePerGas: BigInt(most), maxPriorityFeePerGas: BigInt(tip) }, lasting)
  }
  return {
    maxFeePerGas: (lasting.maxFeePerGas * 5n) / 4n,
    maxPriorityFeePerGas: (lasting.maxPriorityFeePerGas * 5n) / 4n,
  }
}

/** Names whose failure it is: the bundler client would make it the bundler's. */
function payingBy({ url, requestTimeoutMs }: Bundler, owner: OperationContext['owner']): PaymasterActions {
  const paymaster = createPaymasterClient({ transport: serviceTransport(url, requestTimeoutMs) })
  const naming = (cause: unknown): never => {
    const answered = answeredError(cause)
    const why = answered === null ? 'does not answer' : 'refuses'
    throw new WalletError('PAYMASTER_REFUSED', `The paymaster ${why}; nothing was signed.`, {
      cause,
      details: { why, code: answered?.code ?? null },
      ...(answered === null && { suggestion: unreachable }),
    })
  }
  return {
    getPaymasterStubData: async (parameters) => {
      const answer = await paymaster.getPaymasterStubData(parameters).catch(naming)
      return { ...paymentOf(answer, owner), isFinal: answer.isFinal === true }
    },
    getPaymasterData: async (parameters) =>
      paymentOf(await paymaster.getPaymasterData(parameters).catch(naming), owner),
  }
}

const unreachable =
  'Check gas.paymasterUrl (paymaster of sendUserOp) and try again; or pay the gas from the wallet ("wallet" in gas.tiers), or name another paymaster.'

function preparationFailed(error: unknown): WalletError {
  if (error instanceof WalletError) return error
  const ours = error instanceof BaseError ? error.walk((cause) => cause instanceof WalletError) : null
  if (ours instanceof WalletError) return ours
  const answered = answeredError(error)
  if (answered === null) {
    return new WalletError('BUNDLER_UNAVAILABLE', 'The bundler does not answer; nothing was signed.', {
      cause: error,
      details: { why: 'it does not answer' },
    })
  }
  // ERC-7769 has a code for it; some bundlers put the bytes of the revert into the sentence.
  const isRevert = answered.code === -32_521 || /reverted during simulation/i.test(answered.message)
  if (!isRevert) {
    return new WalletError('BUNDLER_UNAVAILABLE', 'The bundler declines the operation; nothing was signed.', {
      cause: error,
      details: { why: 'it declines the operation', code: answered.code },
    })
  }
  const inSentence = /0x[0-9a-fA-F]{8,}/.exec(answered.message)?.[0]
  const data = revertDataIn(error) ?? (isHex(inSentence) ? inSentence : '0x')
  const reason = revertReason(data)
  const said = reason === null ? '' : `: ${reason}`
  return new WalletError('USER_OPERATION_REVERTED', `The call would revert${said}; nothing was sent.`, {
    cause: error,
    details: { data, reason },
  })
}

/** The account as the client wants it; what is signed is signed elsewhere. */
function unsigning(address: OperationContext['owner']): never {
  const refuse = (): Promise<never> =>
    Promise.reject(new TypeError('Nothing is signed while an operation is prepared.'))
  const account: LocalAccount = toAccount({
    address,
    signMessage: refuse,
    signTransaction: refuse,
    signTypedData: refuse,
  })
  // The client asks for a key's account and uses its address alone.
  return account as never
}

/** ERC-4337's marker of an account that is delegated by EIP-7702. */
const marker: { readonly factory: Hex; readonly factoryData: Hex } = { factory: '0x7702', factoryData: '0x' }

const noSignature: { readonly r: Hex; readonly s: Hex; readonly yParity: number } = {
  r: '0xfffffffffffffffffffffffffffffff000000000000000000000000000000000',
  s: '0x7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  yParity: 1,
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
