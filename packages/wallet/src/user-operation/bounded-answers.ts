import { isAddress, isAddressEqual, isHex, size, type Address, type Hex } from 'viem'
import { WalletError } from '../wallet-error.ts'

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
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

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
