import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  concat,
  getContractAddress,
  type Hex,
  isAddressEqual,
  keccak256,
  type PublicClient,
  zeroHash,
} from 'viem'
import { ToolError } from '@svc/amm'
import { batchDelegate } from '../calldata/contracts.gen.ts'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../context/refusal.ts'

/**
 * Looks whether the wallet can make several calls as one transaction (EIP-7702), and how: the operator names the contract it may
 * delegate to, that contract has exactly the code of our own, and the wallet runs it already, or runs no code and its signer
 * signs authorizations. Throws `RPC_*` where the endpoint does not say.
 */
export async function readAtomicRoute({
  client,
  chain,
  policy,
  wallet,
  signsAuthorizations = true,
}: AtomicQuestion): Promise<AtomicRoute> {
  const delegate = policy.batchDelegate[chain.id]
  if (delegate === undefined) {
    const fix = `the operator can add it with svc policy add-delegate ${chain.name}`
    return none(`The policy names no batch delegate on ${chain.name}; ${fix}.`)
  }
  const [own, isOurs] = await Promise.all([codeAt(client, wallet), holdsBatchDelegate(client, delegate)])
  if (!isOurs) {
    return none(`The contract ${delegate} does not hold the code of the batch delegate, so nothing is delegated to it.`)
  }
  if (own.toLowerCase() === delegationTo(delegate)) return { delegate, isDelegated: true, refusal: null }
  if (own !== '0x') return none('The wallet runs other code already, and is not delegated anew.')
  if (signsAuthorizations) return { delegate, isDelegated: false, refusal: null }
  return none('The signer of the wallet has no way to sign what delegates it.')
}

export type AtomicQuestion = {
  readonly client: Pick<PublicClient, 'getCode'>
  readonly chain: Pick<Chain, 'id' | 'name'>
  readonly policy: Pick<Policy, 'batchDelegate'>
  readonly wallet: Address
  /** False where the wallet's signer has no way to sign EIP-7702 authorizations. */
  readonly signsAuthorizations?: boolean | undefined
}

export type AtomicRoute =
  | { readonly delegate: Address; readonly isDelegated: boolean; readonly refusal: null }
  | { readonly delegate: null; readonly refusal: Refusal }

/** The code of an account that is delegated, in lower case. */
export function delegationTo(delegate: Address): Hex {
  return concat(['0xef0100', delegate]).toLowerCase() as Hex
}

/** Throws where the route that a batch was simulated on is no longer there. */
export async function requireRoute(question: AtomicQuestion, planned: AtomicRoute): Promise<void> {
  const now = await readAtomicRoute(question)
  if (now.refusal !== null) throw new ToolError(now.refusal.code, `${now.refusal.message} Nothing was signed.`)
  const isSame =
    planned.refusal === null &&
    isAddressEqual(now.delegate, planned.delegate) &&
    now.isDelegated === planned.isDelegated
  if (isSame) return
  const message = 'What code the wallet runs has changed since the call was simulated. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message)
}

const codeHash = keccak256(batchDelegate.runtime)

/** Whether the contract at an address has exactly the code of our own batch delegate. */
export async function holdsBatchDelegate(client: Pick<PublicClient, 'getCode'>, address: Address): Promise<boolean> {
  return keccak256(await codeAt(client, address)) === codeHash
}

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

async function codeAt(client: Pick<PublicClient, 'getCode'>, address: Address): Promise<Hex> {
  return (await client.getCode({ address })) ?? '0x'
}

function none(message: string): AtomicRoute {
  return { delegate: null, refusal: { code: 'ATOMIC_EXECUTION_UNAVAILABLE', message } }
}
