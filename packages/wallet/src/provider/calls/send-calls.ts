import { randomBytes } from 'node:crypto'
import { bytesToHex, keccak256, stringToHex, type Address, isAddressEqual, isHex, type Hex } from 'viem'
import { offerUserOperation, openOperation } from '../../user-operation/open-bundler.ts'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'
import { WalletError } from '../../wallet-error.ts'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import type { JournalEntry } from '../../journal.ts'
import { type CallBatch, type CallsContext, batchSponsors } from './calls-context.ts'
import { field, type Fields } from '../read-params.ts'

/**
 * `wallet_sendCalls` of EIP-5792. With a bundler and a paymaster the calls are one user operation, all or none; without,
 * each is a transaction of its own, sent when the one before it is settled, and the first that fails is the last. An id
 * is used up once anything is signed for it, for good. Throws {@link ProviderRpcError}, and what the wallet throws.
 */
export async function sendCalls(context: CallsContext, params: readonly unknown[]): Promise<{ readonly id: string }> {
  const from = await context.wallet.getAddress()
  const request = readCalls(params, { address: from, chainId: context.chain.id })
  const batch = batchOf(context, request, from)
  const { id } = batch
  if ((await context.batches.load(id)) !== null) throw duplicate()
  const sponsored = sponsorOf(context, request)
  if (sponsored === null) await sendInOrder(context, batch, request.calls, () => keep(context, batch))
  else await sendAsOperation(context, sponsored, (operation) => keep(context, { ...batch, operation }))
  return { id }
}

/** What one user operation is made of. */
type Sponsored = {
  readonly calls: readonly (BatchedCall & { readonly to: Address })[]
  readonly paymasterUrl: string
  readonly paymasterContext: Readonly<Record<string, unknown>> | null
}

function batchOf({ chain }: CallsContext, request: CallsRequest, from: Address): CallBatch {
  const id = request.id ?? bytesToHex(randomBytes(32))
  const requestId = `calls:${chain.id}:${keccak256(stringToHex(id))}`
  return { id, requestId, chainId: chain.id, from, size: request.calls.length, operation: null }
}

/** `null` for calls that go out as transactions. */
function sponsorOf(context: CallsContext, request: CallsRequest): Sponsored | null {
  const { calls, atomicRequired } = request
  const { bundlerUrl, paymasterUrl, clientPaymasterUrls } = batchSponsors(context)
  const named = request.paymaster
  const paymaster = named !== null && clientPaymasterUrls.includes(named.url) ? named : null
  const payer = paymaster?.url ?? (named === null || named.isOptional ? paymasterUrl : null)
  const toSomeone = calls.flatMap(({ to, ...rest }) => (to === null ? [] : [{ to, ...rest }]))
  if (bundlerUrl !== null && payer !== null && toSomeone.length === calls.length) {
    const paymasterContext = paymaster === null ? (context.sponsor?.paymasterContext ?? null) : paymaster.context
    return { calls: toSomeone, paymasterUrl: payer, paymasterContext }
  }
  if (named !== null && !named.isOptional) {
    const message =
      'The paymaster cannot pay for these calls: the wallet does not allow it, has no bundler, or they create a contract.'
    throw new ProviderRpcError(rpcCodes.unsupportedCapability, message)
  }
  if (!atomicRequired || calls.length === 1) return null
  const message = 'All or none takes a bundler and a paymaster, and calls that create no contract.'
  throw new ProviderRpcError(rpcCodes.atomicityUnsupported, message)
}

async function keep({ batches }: CallsContext, batch: CallBatch): Promise<void> {
  if (!(await batches.add(batch))) throw duplicate()
}

function duplicate(): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.duplicateId, 'There is a batch of this id; nothing was signed.')
}

/**
 * Signs calls as one user operation, has it kept, and offers it to the bundler once; it does not wait for its end. What it
 * throws, it throws with nothing offered: 5750 for a wallet that does not delegate its account, and what
 * `signUserOperation` and `keep` throw.
 */
async function sendAsOperation(
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
  const { signUserOperation } = await import('../../user-operation/sign-user-operation.ts')
  const wanted = calls.map(({ to, data, valueWei }) => ({ target: to, data, valueWei }))
  const signed = await signUserOperation(operating, wanted).catch((cause: unknown) => {
    if (!(cause instanceof WalletError && cause.code === 'SIGNING_UNSUPPORTED')) throw cause
    throw new ProviderRpcError(rpcCodes.upgradeRejected, 'The wallet signs no delegation (EIP-7702).', { cause })
  })
  await keep(signed)
  await offerUserOperation(operating.bundler, signed)
}

/**
 * Sends the first call of a batch, and the others one after the other while this process lives, each when the one before
 * it is settled. Resolves when the first is out; what it throws then, it throws with nothing out. A call that fails, or
 * whose end is not known for too long, is the last.
 */
async function sendInOrder(
  context: CallsContext,
  batch: CallBatch,
  calls: readonly BatchedCall[],
  keep: () => Promise<void>,
): Promise<void> {
  const { sending, underWay } = context
  const { id, requestId } = batch
  const send = (step: number): Promise<JournalEntry> | null => {
    const call = calls[step]
    const free = { gasLimit: null, maxFeePerGas: null, maxPriorityFeePerGas: null, nonce: null }
    return call === undefined
      ? null
      : sending.send({ ...call, ...free }, { requestId, step }, step === 0 ? keep : undefined)
  }
  const first = await send(0)
  if (first === null) return
  underWay.add(id)
  void follow(context, first, send)
    // What went wrong shows in the journal: this call is not in it, and none comes after it.
    .catch(() => undefined)
    .finally(() => underWay.delete(id))
}

async function follow(
  { sending }: CallsContext,
  first: JournalEntry,
  send: (step: number) => Promise<JournalEntry> | null,
): Promise<void> {
  const sender = await sending.open()
  let entry: JournalEntry | null = first
  for (let step = 1; entry !== null; step += 1) {
    const { status } = await sender.confirm(entry, { timeoutMs: longestWaitMs })
    if (status !== 'final') return
    entry = await send(step)
  }
}

const longestWaitMs = 600_000

/**
 * Reads the parameter of `wallet_sendCalls` (EIP-5792, version 2.0.0) strictly. Throws 4100 for another sender, 5710 for
 * another chain, 5740 for too many calls, 5700 for a capability that the wallet lacks and the client needs, and -32602 for
 * anything malformed, each naming the field.
 */
function readCalls([value]: readonly unknown[], own: { address: Address; chainId: number }): CallsRequest {
  const fields = record(value, 'params[0]')
  requireKnown(fields, ['version', 'id', 'from', 'chainId', 'atomicRequired', 'calls', 'capabilities'])
  const { version, id, atomicRequired, calls } = fields
  if (version !== '2.0.0') throw field.invalid('version', '"2.0.0"')
  const chainId = field.quantity(fields, 'chainId')
  if (chainId === undefined) throw field.invalid('chainId', 'a quantity such as 0x1')
  if (chainId !== BigInt(own.chainId)) {
    throw new ProviderRpcError(rpcCodes.unsupportedChain, `The provider is on chain ${own.chainId}, not ${chainId}.`)
  }
  const from = isMissing(fields['from']) ? own.address : field.address(fields, 'from')
  if (!isAddressEqual(from, own.address)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own.address}; it cannot send from ${from}.`)
  }
  if (typeof atomicRequired !== 'boolean') throw field.invalid('atomicRequired', 'true or false')
  if (!isMissing(id) && !isId(id)) throw field.invalid('id', 'text of 1 to 4096 bytes')
  if (!Array.isArray(calls) || calls.length === 0) throw field.invalid('calls', 'a list of at least one call')
  if (calls.length > mostCalls) {
    throw new ProviderRpcError(
      rpcCodes.tooManyCalls,
      `There are ${calls.length} calls; accepted: ${mostCalls} at most.`,
    )
  }
  const { paymasterService } = capabilities(fields, ['paymasterService'])
  return {
    id: isMissing(id) ? null : id,
    atomicRequired,
    calls: calls.map((call: unknown, index) => readCall(call, `calls[${index}]`)),
    paymaster: isMissing(paymasterService) ? null : readPaymaster(record(paymasterService, 'paymasterService')),
  }
}

type CallsRequest = {
  readonly id: string | null
  readonly atomicRequired: boolean
  readonly calls: readonly BatchedCall[]
  /** ERC-7677's `paymasterService` of the client. */
  readonly paymaster: PaymasterService | null
}

type BatchedCall = {
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly valueWei: bigint
}

export type PaymasterService = {
  readonly url: string
  readonly context: Readonly<Record<string, unknown>> | null
  readonly isOptional: boolean
}

const mostCalls = 64

function readCall(value: unknown, name: string): BatchedCall {
  const fields = record(value, name)
  requireKnown(fields, ['to', 'data', 'value', 'capabilities'])
  capabilities(fields, [])
  const to = isMissing(fields['to']) ? null : field.address(fields, 'to')
  const data = field.bytes(fields, 'data') ?? '0x'
  if (to === null && data === '0x')
    throw field.invalid(`${name}.to`, 'an address, or none beside the code of a contract')
  return { to, data, valueWei: field.quantity(fields, 'value') ?? 0n }
}

/** Whatever is not known and not marked optional is refused, as EIP-5792 asks. */
function capabilities(fields: Fields, known: readonly string[]): Fields {
  if (isMissing(fields['capabilities'])) return {}
  const wanted = record(fields['capabilities'], 'capabilities')
  for (const [name, value] of Object.entries(wanted)) {
    if (known.includes(name) || isMissing(value) || record(value, name)['optional'] === true) continue
    throw new ProviderRpcError(rpcCodes.unsupportedCapability, `The wallet lacks the capability ${name.slice(0, 60)}.`)
  }
  return wanted
}

function readPaymaster(fields: Fields): PaymasterService {
  const { url, context, optional } = fields
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw field.invalid('paymasterService.url', 'a URL with http or https')
  }
  return {
    url,
    context: isMissing(context) ? null : record(context, 'paymasterService.context'),
    isOptional: optional === true,
  }
}

function requireKnown(fields: Fields, known: readonly string[]): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) throw field.invalid(name, known.join(', '))
}

function record(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw field.invalid(name, 'an object')
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function isId(value: unknown): value is string {
  // Text with half a character has no bytes of its own: it would share those of another text.
  if (typeof value !== 'string' || value === '' || /\p{Surrogate}/u.test(value)) return false
  return (isHex(value) ? value.length / 2 - 1 : Buffer.byteLength(value)) <= 4_096
}
