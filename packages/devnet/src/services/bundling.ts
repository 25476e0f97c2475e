import { createMutex } from '@svc/wallet/core'
import {
  type Address,
  BaseError,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  isAddress,
  isHex,
  numberToHex,
  size,
} from 'viem'
import {
  entryPoint08Abi,
  formatUserOperation,
  type RpcUserOperation,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { type ChainClient, connect, JsonRpcError } from '../chain/chain-client.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import type { Devnet } from '../devnet.ts'

/** How a bundler prices, checks and executes operations on the EntryPoint of a local chain, from its executor's account. */
export function createBundling({ rpcUrl, chainId, entryPoint, sponsors }: BundledChain): Bundling {
  const client = connect(rpcUrl)
  const executor = privateKeyToAccount(sponsors.executor.privateKey)
  const inTurn = createMutex()
  const handleOps = (operation: UserOperation<'0.8'>) =>
    encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], executor.address],
    })
  const transactionOf = async (operation: UserOperation<'0.8'>) => {
    const { authorization } = operation
    const [nonce, block] = await Promise.all([
      client.getTransactionCount({ address: executor.address, blockTag: 'pending' }),
      client.getBlock(),
    ])
    return {
      chainId,
      nonce,
      to: entryPoint,
      data: handleOps(operation),
      gas: totalGas(operation) + overheadGas,
      maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + tipWei,
      maxPriorityFeePerGas: tipWei,
      ...(authorization && { authorizationList: [authorization] }),
    }
  }
  return {
    gasPrices: async () => {
      const { baseFeePerGas } = await client.getBlock()
      const price = (percent: bigint) => ({
        maxFeePerGas: numberToHex(((baseFeePerGas ?? 0n) * 2n * percent) / 100n + tipWei),
        maxPriorityFeePerGas: numberToHex((tipWei * percent) / 100n),
      })
      return { slow: price(100n), standard: price(110n), fast: price(120n) }
    },
    estimate: async (operation) => {
      const callGas = await callGasOf(client, entryPoint, operation)
      return {
        preVerificationGas: numberToHex(60_000n + 16n * BigInt(size(handleOps(operation)))),
        verificationGasLimit: numberToHex(verificationGas),
        callGasLimit: numberToHex((callGas * 120n) / 100n),
        ...(operation.paymaster && {
          paymasterVerificationGasLimit: numberToHex(verificationGas),
          paymasterPostOpGasLimit: numberToHex(operation.paymasterPostOpGasLimit ?? 0n),
        }),
      }
    },
    validate: async (operation) => {
      const call = { from: executor.address, to: entryPoint, data: handleOps(operation) }
      try {
        await client.request({ method: 'eth_call', params: [call, 'latest', delegatedCode(operation)] })
      } catch (error) {
        throw refusal(error)
      }
    },
    send: async (operation) =>
      await inTurn(async () => {
        const serializedTransaction = await executor.signTransaction(await transactionOf(operation))
        return await client.sendRawTransaction({ serializedTransaction })
      }),
    blockOf: async (transactionHash) =>
      await client.request({ method: 'eth_getTransactionReceipt', params: [transactionHash] }),
    shown: async (hash) => {
      const { blockHash, logs } = await client.waitForTransactionReceipt({ hash })
      while ((await client.getLogs({ blockHash })).length < logs.length) await sleep(10)
    },
  }
}

export type BundledChain = Pick<Devnet, 'rpcUrl' | 'chainId' | 'entryPoint' | 'sponsors'>

export type Bundling = {
  /** As Pimlico's method of that name answers: three prices in wei. */
  gasPrices(): Promise<Readonly<Record<'slow' | 'standard' | 'fast', GasPrice>>>
  /** Throws -32521 with the revert's data when the call itself would fail. */
  estimate(operation: UserOperation<'0.8'>): Promise<Readonly<Record<string, Hex>>>
  /** Throws what ERC-7769 provides for an operation that the EntryPoint would refuse. */
  validate(operation: UserOperation<'0.8'>): Promise<void>
  /** Signs and sends one transaction for the operation; returns its hash. */
  send(operation: UserOperation<'0.8'>): Promise<Hex>
  /** `null` until it is mined. */
  blockOf(transactionHash: Hex): Promise<{ readonly blockHash: Hex; readonly blockNumber: Hex } | null>
  /** Waits until whoever reads the chain's logs finds those of the transaction. */
  shown(transactionHash: Hex): Promise<void>
}

type GasPrice = { readonly maxFeePerGas: Hex; readonly maxPriorityFeePerGas: Hex }

const tipWei = 1_000_000_000n
/** Far more than checking a signature and counting up a nonce cost. */
const verificationGas = 150_000n
/** What handleOps itself takes, the authorization included. */
const overheadGas = 150_000n

function totalGas(operation: UserOperation<'0.8'>): bigint {
  const { preVerificationGas, verificationGasLimit, callGasLimit } = operation
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = operation
  const limits = verificationGasLimit + callGasLimit + paymasterVerificationGasLimit + paymasterPostOpGasLimit
  // A sixty-fourth stays behind at every call.
  return preVerificationGas + (limits * 64n) / 63n
}

/** The sender as it is once the authorization counts. */
function delegatedCode({ sender, authorization }: UserOperation<'0.8'>): Record<Address, { readonly code: Hex }> {
  return authorization ? { [sender]: { code: concat(['0xef0100', authorization.address]) } } : {}
}

async function callGasOf(client: ChainClient, entryPoint: Address, operation: UserOperation<'0.8'>): Promise<bigint> {
  const call = { from: entryPoint, to: operation.sender, data: operation.callData }
  try {
    return BigInt(
      await client.request({ method: 'eth_estimateGas', params: [call, 'latest', delegatedCode(operation)] }),
    )
  } catch (error) {
    throw new JsonRpcError(-32_521, 'UserOperation reverted during simulation', revertData(error))
  }
}

/** ERC-7769: -32507 a signature, -32503 a time, -32501 the paymaster, -32500 the account. */
function refusal(error: unknown): JsonRpcError {
  const reason = failedOpReason(revertData(error) ?? '0x')
  if (reason === null) return new JsonRpcError(-32_500, 'the entry point refuses the operation')
  if (/^AA[23]4/.test(reason)) return new JsonRpcError(-32_507, reason)
  if (/^AA[23]2/.test(reason)) return new JsonRpcError(-32_503, reason)
  return new JsonRpcError(reason.startsWith('AA3') ? -32_501 : -32_500, reason)
}

function failedOpReason(data: Hex): string | null {
  try {
    const decoded = decodeErrorResult({ abi: entryPoint08Abi, data })
    return decoded.errorName === 'FailedOp' || decoded.errorName === 'FailedOpWithRevert' ? decoded.args[1] : null
  } catch {
    return null
  }
}

function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const found = error.walk(
    (cause) => typeof cause === 'object' && cause !== null && 'data' in cause && isHex(cause.data),
  )
  return found && 'data' in found && isHex(found.data) ? found.data : undefined
}

/**
 * A user operation as it stands on the wire of ERC-7769 (EntryPoint 0.7 and later, unpacked), with its EIP-7702
 * authorization when it has one. Throws -32602 when what no operation lacks is missing.
 */
export function readUserOperation(wire: unknown): UserOperation<'0.8'> {
  if (!isWireOperation(wire)) throw new JsonRpcError(-32_602, 'a user operation has sender, nonce and callData')
  const { eip7702Auth, ...rest } = wire
  const operation: UserOperation<'0.8'> = formatUserOperation(rest)
  if (!eip7702Auth) return operation
  const { address, chainId, nonce, r, s, yParity } = eip7702Auth
  return {
    ...operation,
    authorization: {
      address,
      chainId: hexToNumber(chainId),
      nonce: hexToNumber(nonce),
      r,
      s,
      yParity: hexToNumber(yParity),
    },
  }
}

function isWireOperation(wire: unknown): wire is RpcUserOperation<'0.8'> {
  if (typeof wire !== 'object' || wire === null) return false
  const { sender, nonce, callData }: Partial<Record<string, unknown>> = { ...wire }
  return typeof sender === 'string' && isAddress(sender, { strict: false }) && isHex(nonce) && isHex(callData)
}
