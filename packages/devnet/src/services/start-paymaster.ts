import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbiParameters,
  slice,
} from 'viem'
import { toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import type { Devnet } from '../devnet.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createFaultRules, type StandInFault } from './stand-in-server.ts'
import { startJsonRpcServer } from '../chain/start-json-rpc-server.ts'
import { JsonRpcError } from '../chain/chain-client.ts'
import { readUserOperation } from './bundling.ts'

/**
 * An ERC-7677 endpoint (`pm_getPaymasterStubData`, `pm_getPaymasterData`) for the paymaster of a local chain: it signs with
 * the key that the paymaster trusts, for as long as `validForSeconds` (600 when absent). Faults are set while it runs.
 */
export async function startPaymaster(options: PaymasterOptions): Promise<Paymaster> {
  const { devnet, validForSeconds = 600, now = Date.now } = options
  const faults = createFaultRules<PaymasterFault>()
  const contexts: unknown[] = []
  const sponsored: Hex[] = []

  const stub = async (): Promise<StubData> => ({
    paymaster: devnet.paymaster,
    paymasterData: concat([window(0, 0), pad('0x01', { size: 65 })]),
    paymasterVerificationGasLimit: numberToHex(verificationGas),
    paymasterPostOpGasLimit: numberToHex(postOpGas),
    sponsor: { name: 'local chain' },
    isFinal: false,
  })
  const final = async (operation: UserOperation<'0.8'>, fault: PaymasterFault | null) => {
    const validUntil = Math.floor(now() / 1_000) + (fault?.kind === 'expired' ? -expiredSeconds : validForSeconds)
    const limits = {
      paymasterVerificationGasLimit: operation.paymasterVerificationGasLimit ?? verificationGas,
      paymasterPostOpGasLimit: operation.paymasterPostOpGasLimit ?? postOpGas,
    }
    const digest = sponsorshipHash({ ...operation, ...limits, paymaster: devnet.paymaster }, devnet, validUntil)
    const key = fault?.kind === 'foreign-signature' ? generatePrivateKey() : devnet.sponsors.paymasterSigner.privateKey
    const signature = await privateKeyToAccount(key).signMessage({ message: { raw: digest } })
    sponsored.push(operation.sender)
    return {
      paymaster: devnet.paymaster,
      paymasterData: concat([window(validUntil, 0), signature]),
      paymasterVerificationGasLimit: numberToHex(limits.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: numberToHex(limits.paymasterPostOpGasLimit),
    }
  }
  const server = await startJsonRpcServer(async ({ method, params = [] }) => {
    if (method !== stubMethod && method !== finalMethod) throw new JsonRpcError(-32_601, `${method} is not served here`)
    const [wire, entryPoint, chainId, context] = params
    requirePlace(devnet, entryPoint, chainId)
    contexts.push(context)
    const operation = readUserOperation(wire)
    const fault = faults.choose(method)
    if (fault?.kind === 'refuse') throw new JsonRpcError(fault.code ?? -32_002, fault.message ?? 'sponsorship refused')
    if (fault?.kind === 'stall') await new Promise<never>(() => {})
    if (fault?.kind === 'late') await sleep(fault.delayMs)
    return method === stubMethod ? await stub() : await final(operation, fault)
  })
  return {
    ...server,
    setFaults: (rules) => faults.set(rules),
    contexts: () => [...contexts],
    sponsored: () => [...sponsored],
  }
}

/** A day: the newest block is as old as the last transaction, and a wallet compares with that. */
const expiredSeconds = 86_400

export type PaymasterOptions = {
  readonly devnet: Pick<Devnet, 'chainId' | 'entryPoint' | 'paymaster' | 'sponsors'>
  readonly validForSeconds?: number
  /** Milliseconds since the epoch, as `Date.now`. */
  readonly now?: () => number
}

export type Paymaster = {
  readonly url: string
  setFaults(rules: readonly StandInFault<PaymasterFault>[]): void
  /** The `context` of every call, in order. */
  contexts(): readonly unknown[]
  /** The sender of every operation that was signed for, in order. */
  sponsored(): readonly Address[]
  /** How many calls of each method came in. */
  methods(): ReadonlyMap<string, number>
  stop(): Promise<void>
}

export type PaymasterFault =
  /** An error instead of a signature. Code -32002 when absent. */
  | { readonly kind: 'refuse'; readonly code?: number; readonly message?: string }
  /** Signs for a time that is over. */
  | { readonly kind: 'expired' }
  /** Signs with a key that the paymaster does not trust. */
  | { readonly kind: 'foreign-signature' }
  /** Silence until the caller leaves. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'late'; readonly delayMs: number }

const stubMethod = 'pm_getPaymasterStubData'
const finalMethod = 'pm_getPaymasterData'

/** What the paymaster's validation needs, with room; it has no `postOp`. */
const verificationGas = 80_000n
const postOpGas = 1n

type StubData = {
  readonly paymaster: Address
  readonly paymasterData: Hex
  readonly paymasterVerificationGasLimit: Hex
  readonly paymasterPostOpGasLimit: Hex
  readonly sponsor: { readonly name: string }
  readonly isFinal: boolean
}

/** `validUntil` 0 has no end. */
function window(validUntil: number, validAfter: number): Hex {
  return concat([numberToHex(validUntil, { size: 6 }), numberToHex(validAfter, { size: 6 })])
}

function requirePlace(devnet: PaymasterOptions['devnet'], entryPoint: unknown, chainId: unknown): void {
  if (String(entryPoint).toLowerCase() !== devnet.entryPoint.toLowerCase()) {
    throw new JsonRpcError(-32_602, `the only entry point here is ${devnet.entryPoint}`)
  }
  if (Number(chainId) !== devnet.chainId) {
    throw new JsonRpcError(-32_602, `the only chain here is ${devnet.chainId}`)
  }
}

/**
 * The hash that the paymaster's `getHash` gives once the sender is delegated: of an EIP-7702 init code the delegate alone
 * counts. The operation must carry its paymaster and all gas limits.
 */
function sponsorshipHash(
  operation: UserOperation<'0.8'>,
  { chainId, paymaster }: Pick<Devnet, 'chainId' | 'paymaster'>,
  validUntil: number,
  validAfter = 0,
): Hex {
  const packed = toPackedUserOperation(operation, { forHash: true })
  return keccak256(
    encodeAbiParameters(hashedParameters, [
      BigInt(chainId),
      paymaster,
      validUntil,
      validAfter,
      operation.sender,
      operation.nonce,
      keccak256(packed.initCode),
      keccak256(operation.callData),
      packed.accountGasLimits,
      operation.preVerificationGas,
      packed.gasFees,
      slice(packed.paymasterAndData, 20, 52),
    ]),
  )
}

const hashedParameters = parseAbiParameters(
  'uint256, address, uint48, uint48, address, uint256, bytes32, bytes32, bytes32, uint256, bytes32, bytes32',
)
