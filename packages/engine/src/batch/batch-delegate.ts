import { type Address, concat, getContractAddress, type Hex, keccak256, type PublicClient, zeroHash } from 'viem'
import { batchDelegate } from '../calldata/contracts.gen.ts'

const deploymentFactory: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * What puts the batch delegate on a chain, whoever sends it, and where it then stands: the same place on every chain that has
 * the deterministic deployment proxy (github.com/Arachnid/deterministic-deployment-proxy).
 */
export const batchDelegateDeployment: BatchDelegateDeployment = {
  address: getContractAddress({
    opcode: 'CREATE2',
    from: deploymentFactory,
    salt: zeroHash,
    bytecode: batchDelegate.bytecode,
  }),
  to: deploymentFactory,
  data: concat([zeroHash, batchDelegate.bytecode]),
}

export type BatchDelegateDeployment = {
  /** Of the contract once it is deployed. */
  readonly address: Address
  /** The proxy that deploys it. */
  readonly to: Address
  readonly data: Hex
}

/** Whether the contract at an address has exactly the code of our own batch delegate. */
export async function holdsBatchDelegate(client: Pick<PublicClient, 'getCode'>, address: Address): Promise<boolean> {
  return keccak256((await client.getCode({ address })) ?? '0x') === batchDelegateCodeHash
}

/** The hash of the code of our own batch delegate. */
export const batchDelegateCodeHash: Hex = keccak256(batchDelegate.runtime)
