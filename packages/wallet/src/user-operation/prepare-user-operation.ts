import {
  BaseError,
  createClient,
  custom,
  isHex,
  type Hex,
  type LocalAccount,
  isAddress,
  isAddressEqual,
  size,
  type Address,
} from 'viem'
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
import { feesNow } from '../sender/fees.ts'
import { WalletError } from '../wallet-error.ts'
import { type Delegation, encodeCalls } from './choose-delegation.ts'
import {
  answeredError,
  serviceTransport,
  type Bundler,
  type OperationContext,
  type OperationCall,
} from './open-bundler.ts'
import { revertDataIn, revertReason } from './revert-reason.ts'
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

/**
 * Who pays for an operation, out of what a paymaster answered (ERC-7677); whatever else the answer holds is left out.
 * Throws `PAYMASTER_REFUSED` for what is malformed or beyond bounds, and for a paymaster that is the account itself.
 */
export function paymentOf(answer: unknown, owner: Address): Payment {
  const { paymaster, paymasterData, ...rest } = membersOf(answer)
  const isOther = typeof paymaster === 'string' && isAddress(paymaster, { strict: false })
  if (!isOther || isAddressEqual(paymaster, owner)) throw refused('names no contract that pays')
  if (!isHex(paymasterData) || size(paymasterData) > mostDataBytes) throw refused('gives no data of a fitting size')
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = rest
  const limits = [paymasterVerificationGasLimit, paymasterPostOpGasLimit]
  if (!limits.every((limit) => limit === undefined || isWithin(limit, mostGas))) {
    throw refused('asks for more gas than a transaction may use')
  }
  return {
    paymaster,
    paymasterData,
    ...(isWithin(paymasterVerificationGasLimit, mostGas) && { paymasterVerificationGasLimit }),
    ...(isWithin(paymasterPostOpGasLimit, mostGas) && { paymasterPostOpGasLimit }),
  }
}

export type Payment = {
  readonly paymaster: Address
  readonly paymasterData: Hex
  /** Units of gas, as the other. */
  readonly paymasterVerificationGasLimit?: bigint
  readonly paymasterPostOpGasLimit?: bigint
}

/** The gas limits of an operation that a bundler estimated. Throws `BUNDLER_UNAVAILABLE` for one beyond bounds. */
export function gasLimitsOf(answer: unknown): GasLimits {
  const { callGasLimit, verificationGasLimit, preVerificationGas } = membersOf(answer)
  const isBounded =
    isWithin(callGasLimit, mostGas) &&
    isWithin(verificationGasLimit, mostGas) &&
    isWithin(preVerificationGas, mostDataGas)
  if (isBounded) return { callGasLimit, verificationGasLimit, preVerificationGas }
  throw new WalletError('BUNDLER_UNAVAILABLE', 'The bundler estimates no gas that a transaction may use.', {
    details: { why: 'its estimate is out of bounds' },
  })
}

/** Units of gas. */
export type GasLimits = {
  readonly callGasLimit: bigint
  readonly verificationGasLimit: bigint
  readonly preVerificationGas: bigint
}

/** The fees that a bundler asks. Throws `BUNDLER_UNAVAILABLE` for fees that have nothing to do with those of the chain. */
export function requireFees(asked: Fees, { maxFeePerGas }: Fees): Fees {
  const tenfold = maxFeePerGas * 10n
  const mostWei = tenfold > leastBoundWei ? tenfold : leastBoundWei
  // Both are read apart, and a tip above the whole fee is one that pays the whole fee.
  const tip = asked.maxPriorityFeePerGas < asked.maxFeePerGas ? asked.maxPriorityFeePerGas : asked.maxFeePerGas
  if (asked.maxFeePerGas <= mostWei) return { maxFeePerGas: asked.maxFeePerGas, maxPriorityFeePerGas: tip }
  const message = `The bundler asks ${asked.maxFeePerGas} wei for a unit of gas, at most ${mostWei} is accepted.`
  throw new WalletError('BUNDLER_UNAVAILABLE', message, {
    details: { why: 'its fees are out of bounds', askedWei: String(asked.maxFeePerGas), mostWei: String(mostWei) },
  })
}

/** Wei for a unit of gas. */
type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** What one transaction may use (EIP-7825). */
const mostGas = 2n ** 24n

/** `preVerificationGas` holds what a rollup pays for the data elsewhere, counted in its own gas, which may be very cheap. */
const mostDataGas = 2n ** 40n

/** Signatures, permits and terms of a paymaster take some hundred bytes. */
const mostDataBytes = 8_192

/** Where a chain asks almost nothing, a bundler's own least counts: 10 gwei. */
const leastBoundWei = 10_000_000_000n

function isWithin(value: unknown, most: bigint): value is bigint {
  return typeof value === 'bigint' && value >= 0n && value <= most
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function refused(why: string): WalletError {
  return new WalletError('PAYMASTER_REFUSED', `The paymaster ${why}; nothing was signed.`, { details: { why } })
}
