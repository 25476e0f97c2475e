import type { IntentOrder } from '@svc/amm'
import { zeroAddress, isAddress, isHex } from 'viem'
import { type SignatureContext, type SignatureGrant, signables, type Signable, type TypedMember } from './signable.ts'
import { isRecord } from '@svc/runtime'
import { isDeepStrictEqual } from 'node:util'

/** A Permit2 allowance, single or batch: each entry is exactly one that is granted, and all end soon. */
export function checkPermit({ verifyingContract, message }: ReadTypedData, context: SignatureContext): string | null {
  if (verifyingContract !== context.chain.permit2.toLowerCase()) return 'The permit is not for Permit2 of this chain.'
  const spender = text(message['spender'])
  if (!context.spenders.has(spender)) return 'The permit names a spender the policy does not know.'
  if (!endsWithin(message['sigDeadline'], longestSigning, context)) return 'The permit can be used for too long.'
  const details = message['details']
  const entries = Array.isArray(details) ? details.map(record) : [record(details)]
  const left = grantsOf('permit2', context)
  for (const entry of entries) {
    const [token, amount] = [text(entry['token']), number(entry['amount'])]
    if (amount > mostApproved) return 'Unlimited allowances are not signed.'
    if (!endsWithin(entry['expiration'], longestAllowance, context))
      return 'The allowance lasts longer than 30 minutes.'
    const match = left.findIndex(
      (grant) => lower(grant.token) === token && lower(grant.spender) === spender && grant.amount === amount,
    )
    if (match < 0) return 'The permit is not the allowance that this call needs.'
    left.splice(match, 1)
  }
  return null
}

/** A permit over one position: exactly the granted one, for the chain's own position manager and a known spender, and soon over. */
export function checkPositionPermit(read: ReadTypedData, context: SignatureContext): string | null {
  const { verifyingContract, message } = read
  if (verifyingContract !== context.chain.amm.v3?.positionManager.toLowerCase()) {
    return 'The permit is not for the v3 position manager of this chain.'
  }
  if (!context.spenders.has(text(message['spender']))) return 'The permit names a spender the policy does not know.'
  if (!endsWithin(message['deadline'], longestSigning, context)) return 'The permit can be used for too long.'
  const isGranted = grantsOf('position-permit', context).some(
    ({ spender, tokenId, nonce, deadline }) =>
      message['spender'] === lower(spender) &&
      message['tokenId'] === tokenId &&
      message['nonce'] === nonce &&
      message['deadline'] === BigInt(deadline),
  )
  return isGranted ? null : 'The permit is not the right that this call needs.'
}

/** The wallet's consent to be the wallet of one agent, for at most five minutes as the registry has it. */
export function checkAgentWallet(read: ReadTypedData, context: SignatureContext): string | null {
  const { verifyingContract, message } = read
  if (!context.registries.has(verifyingContract)) return 'The registry is not one of this chain.'
  if (message['newWallet'] !== lower(context.wallet)) return 'The consent is not for this wallet.'
  if (!endsWithin(message['deadline'], longestConsent, context)) return 'The consent can be used for too long.'
  const isGranted = grantsOf('agent-wallet', context).some(
    ({ agentId, owner }) => message['agentId'] === agentId && message['owner'] === lower(owner),
  )
  return isGranted ? null : 'Nobody asked for this agent to have this wallet.'
}

/** A user operation of EntryPoint 0.8 with exactly the calls that passed the pipeline, and gas within what was counted. */
export function checkUserOperation(read: ReadTypedData, context: SignatureContext): string | null {
  const { verifyingContract, message } = read
  if (verifyingContract !== entryPoint08) return 'The user operation is not for EntryPoint 0.8.'
  if (message['sender'] !== lower(context.wallet)) return 'The user operation is of another account.'
  const granted = grantsOf('user-operation', context).find(
    ({ nonce, initCode, callData, paymasterAndData }) =>
      message['nonce'] === nonce &&
      message['initCode'] === lower(initCode) &&
      message['callData'] === lower(callData) &&
      message['paymasterAndData'] === lower(paymasterAndData),
  )
  if (granted === undefined) return 'The user operation holds calls that were not checked.'
  const [verificationGas, callGas] = halves(text(message['accountGasLimits']))
  const [, maxFeePerGas] = halves(text(message['gasFees']))
  const cost = (verificationGas + callGas + number(message['preVerificationGas'])) * maxFeePerGas
  return cost <= granted.maxCostWei ? null : 'The gas of the user operation could cost more than was counted.'
}

/**
 * An order through Permit2: the reactor is known and is the spender, all that the order pays goes to the wallet, and every member of permit
 * and witness is the one that is granted, so that nothing falls further or ends later than was weighed.
 */
export function checkOrder({ verifyingContract, message }: ReadTypedData, context: SignatureContext): string | null {
  if (verifyingContract !== context.chain.permit2.toLowerCase()) return 'The order is not for Permit2 of this chain.'
  const witness = record(message['witness'])
  const info = record(witness['info'])
  const outputs = list(witness['baseOutputs']).map(record)
  const wallet = lower(context.wallet)
  if (!context.reactors.has(text(info['reactor'])) || message['spender'] !== info['reactor']) {
    return 'The order is settled by a contract the policy does not know.'
  }
  if (info['swapper'] !== wallet) return 'The order is of another account.'
  if (info['additionalValidationContract'] !== zeroAddress || info['additionalValidationData'] !== '0x') {
    return 'The order asks a contract of somebody else.'
  }
  const deadlines = [message['deadline'], info['deadline']]
  if (!deadlines.every((deadline) => endsWithin(deadline, longestOrder, context)))
    return 'The order stands for too long.'
  if (outputs.some(({ recipient }) => recipient !== wallet)) return 'The order pays somebody other than the wallet.'
  const isGranted = grantsOf('order', context).some(({ order }) => isOrder(order, message, outputs))
  return isGranted ? null : 'The order is not the swap that this call asks for.'
}

function isOrder(order: IntentOrder, message: TypedRecord, outputs: readonly TypedRecord[]): boolean {
  const [permitted, witness] = [record(message['permitted']), record(message['witness'])]
  const info = record(witness['info'])
  const [output] = outputs
  const { reactor, nonce, deadline, cosigner, tokenIn, amountIn, tokenOut, startAmountOut, endAmountOut } = order
  const members: readonly (readonly [TypedValue | undefined, string | bigint])[] = [
    [message['spender'], lower(reactor)],
    [info['reactor'], lower(reactor)],
    [message['nonce'], nonce],
    [info['nonce'], nonce],
    [message['deadline'], BigInt(deadline)],
    [info['deadline'], BigInt(deadline)],
    [witness['cosigner'], lower(cosigner)],
    [permitted['token'], lower(tokenIn)],
    [permitted['amount'], amountIn],
    [witness['baseInputToken'], lower(tokenIn)],
    [witness['baseInputStartAmount'], amountIn],
    [witness['baseInputEndAmount'], amountIn],
    [output?.['token'], lower(tokenOut)],
    [output?.['startAmount'], startAmountOut],
    [output?.['endAmount'], endAmountOut],
  ]
  return outputs.length === 1 && members.every(([signed, granted]) => signed === granted)
}

/** EntryPoint 0.8, at the same address on every chain. */
const entryPoint08 = '0x4337084d9e255ff0702461cf8895ce9e3b5ff108'

const longestAllowance = 30 * 60
const longestSigning = 10 * 60
const longestConsent = 5 * 60
const longestOrder = 30 * 60

/** What is above is meant as "unlimited" by Permit2. */
const mostApproved = 2n ** 160n - 2n

function endsWithin(end: TypedValue | undefined, seconds: number, { nowSeconds }: SignatureContext): boolean {
  return typeof end === 'bigint' && end > BigInt(nowSeconds) && end <= BigInt(nowSeconds + seconds)
}

function grantsOf<Kind extends SignatureGrant['kind']>(
  kind: Kind,
  { grants }: SignatureContext,
): Extract<SignatureGrant, { kind: Kind }>[] {
  return grants.filter((grant): grant is Extract<SignatureGrant, { kind: Kind }> => grant.kind === kind)
}

/** The two 128-bit numbers of a packed word. */
function halves(word: string): readonly [bigint, bigint] {
  return [BigInt(word.slice(0, 34)), BigInt(`0x${word.slice(34)}`)]
}

function lower(hex: string): string {
  return hex.toLowerCase()
}

function text(value: TypedValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError('The typed data was not read.')
  return value
}

function number(value: TypedValue | undefined): bigint {
  if (typeof value !== 'bigint') throw new TypeError('The typed data was not read.')
  return value
}

function list(value: TypedValue | undefined): readonly TypedValue[] {
  if (!Array.isArray(value)) throw new TypeError('The typed data was not read.')
  return value
}

function record(value: TypedValue | undefined): TypedRecord {
  if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError('The typed data was not read.')
  return value as TypedRecord
}

/**
 * Reads typed data as one of the few kinds that are ever signed: exactly their types, exactly their domain members,
 * exactly their fields, every value in its plain form. Anything more, less, or like it is `null`.
 */
export function readTypedData(written: unknown): ReadTypedData | null {
  if (!isRecord(written) || !hasKeys(written, ['domain', 'types', 'primaryType', 'message'])) return null
  const { EIP712Domain, ...types } = isRecord(written['types']) ? written['types'] : {}
  const signable = signables.find(
    (one) => one.primaryType === written['primaryType'] && isDeepStrictEqual(types, one.types),
  )
  if (signable === undefined) return null
  const { version } = signable.domain
  if (EIP712Domain !== undefined && !isDeepStrictEqual(EIP712Domain, domainType(version !== null))) return null
  const domain = readDomain(written['domain'], signable)
  const message = readStruct(signable.primaryType, written['message'], signable.types)
  return domain === null || message === null ? null : { signable, ...domain, message }
}

type ReadTypedData = {
  readonly signable: Signable
  readonly chainId: bigint
  /** Lower case. */
  readonly verifyingContract: string
  readonly message: TypedRecord
}

/** Addresses and bytes as lower-case hex, numbers as bigint. */
type TypedValue = string | bigint | readonly TypedValue[] | TypedRecord
type TypedRecord = { readonly [name: string]: TypedValue }

function readDomain(domain: unknown, { domain: expected }: Signable) {
  const keys = ['name', ...(expected.version === null ? [] : ['version']), 'chainId', 'verifyingContract']
  if (!isRecord(domain) || !hasKeys(domain, keys)) return null
  if (domain['name'] !== expected.name) return null
  if (expected.version !== null && domain['version'] !== expected.version) return null
  const chainId = readValue('uint256', domain['chainId'], {})
  const verifyingContract = readValue('address', domain['verifyingContract'], {})
  if (typeof chainId !== 'bigint' || typeof verifyingContract !== 'string') return null
  return { chainId, verifyingContract }
}

function domainType(hasVersion: boolean): readonly TypedMember[] {
  return [
    { name: 'name', type: 'string' },
    ...(hasVersion ? [{ name: 'version', type: 'string' }] : []),
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ]
}

function readStruct(type: string, written: unknown, types: Signable['types']): TypedRecord | null {
  const members = types[type] ?? []
  const names = members.map(({ name }) => name)
  if (!isRecord(written) || !hasKeys(written, names)) return null
  const read = members.map(({ name, type: of }) => [name, readValue(of, written[name], types)] as const)
  return read.some(([, value]) => value === null)
    ? null
    : Object.fromEntries(read.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])))
}

function readValue(type: string, value: unknown, types: Signable['types']): TypedValue | null {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value) || value.length === 0 || value.length > mostEntries) return null
    const read = value.map((one: unknown) => readValue(type.slice(0, -2), one, types))
    return read.some((one) => one === null) ? null : read.flatMap((one) => (one === null ? [] : [one]))
  }
  if (type in types) return readStruct(type, value, types)
  if (type === 'address') return typeof value === 'string' && isAddress(value) ? value.toLowerCase() : null
  if (type === 'bytes' || type === 'bytes32') {
    const whole = typeof value === 'string' && isHex(value, { strict: true }) && value.length % 2 === 0
    return whole && (type === 'bytes' || value.length === 66) ? value.toLowerCase() : null
  }
  return readNumber(Number(type.slice('uint'.length)), value)
}

/** Plain decimals only: what a signer and a reader could take for different numbers is not read. */
function readNumber(bits: number, value: unknown): bigint | null {
  const isPlain =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value))
  if (!isPlain) return null
  const number = BigInt(value)
  return number >= 0n && number < 1n << BigInt(bits) ? number : null
}

const mostEntries = 20

function hasKeys(record: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const keys = Reflect.ownKeys(record)
  return keys.length === names.length && names.every((name) => Object.hasOwn(record, name))
}
