import { chains } from '@svc/wallet/core'
import { createSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { checkSignature } from './guarded-signer.ts'
import { type SignatureContext, type SignatureGrant, signables } from './signable.ts'

const chain = chains.find(({ id }) => id === 8453)!
const wallet = '0x00000000000000000000000000000000000000bb'
const stranger = '0x00000000000000000000000000000000000000cc'
const registry = '0x00000000000000000000000000000000000000ee'
const reactor = '0x00000000000000000000000000000000000000dd'
const entryPoint = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108'
const router = chain.amm.universalRouter!.address
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const weth = chain.wrappedNative.address
const nowSeconds = 1_800_000_000
const calls = '0x34fcd5be'

const grants: readonly SignatureGrant[] = [
  { kind: 'permit2', token: usdc, spender: router, amount: 5_000_000n },
  { kind: 'permit2', token: weth, spender: router, amount: 7n },
  { kind: 'position-permit', spender: router, tokenId: 7n, nonce: 2n, deadline: nowSeconds + 600 },
  { kind: 'agent-wallet', agentId: 0n, owner: stranger },
  {
    kind: 'user-operation',
    nonce: 3n,
    initCode: '0x',
    callData: calls,
    paymasterAndData: '0x',
    maxCostWei: 300n * 20n,
  },
  {
    kind: 'order',
    order: {
      reactor,
      nonce: 1n,
      deadline: nowSeconds + 1800,
      cosigner: stranger,
      tokenIn: usdc,
      amountIn: 100n,
      tokenOut: weth,
      startAmountOut: 60n,
      endAmountOut: 50n,
      holder: `0x${'7'.repeat(40)}`,
      quote: '{}',
    },
  },
  { kind: 'siwe', domain: 'agents.example', uri: 'https://agents.example/login', nonce: 'abcdefgh1234' },
]

const context: SignatureContext = {
  chain,
  wallet,
  nowSeconds,
  spenders: new Set([router.toLowerCase(), chain.amm.v3!.swapRouter02.toLowerCase()]),
  registries: new Set([registry]),
  reactors: new Set([reactor]),
  siweDomains: new Set(['agents.example']),
  grants,
}

type Data = {
  domain: Record<string, unknown>
  types: Record<string, unknown>
  primaryType: string
  message: Record<string, unknown>
}

const typesOf = (primaryType: string): Record<string, unknown> => ({
  ...signables.find((one) => one.primaryType === primaryType)!.types,
})
const permit2Domain = () => ({ name: 'Permit2', chainId: chain.id, verifyingContract: chain.permit2 })
const details = (change: Record<string, unknown> = {}) => ({
  token: usdc,
  amount: 5_000_000n,
  expiration: nowSeconds + 1800,
  nonce: 0,
  ...change,
})
const permit = (message: Record<string, unknown> = {}): Data => ({
  domain: permit2Domain(),
  types: typesOf('PermitSingle'),
  primaryType: 'PermitSingle',
  message: { details: details(), spender: router, sigDeadline: `${nowSeconds + 600}`, ...message },
})
const batch = (entries: readonly unknown[]): Data => ({
  ...permit({ details: entries }),
  types: typesOf('PermitBatch'),
  primaryType: 'PermitBatch',
})
const wethEntry = () => details({ token: weth, amount: 7n })
const positions = chain.amm.v3!.positionManager
const positionPermit = (message: Record<string, unknown> = {}): Data => ({
  domain: { name: 'Uniswap V3 Positions NFT-V1', version: '1', chainId: chain.id, verifyingContract: positions },
  types: typesOf('Permit'),
  primaryType: 'Permit',
  message: { spender: router, tokenId: 7n, nonce: 2n, deadline: nowSeconds + 600, ...message },
})
const consent = (message: Record<string, unknown> = {}): Data => ({
  domain: { name: 'ERC8004IdentityRegistry', version: '1', chainId: chain.id, verifyingContract: registry },
  types: typesOf('AgentWalletSet'),
  primaryType: 'AgentWalletSet',
  message: { agentId: 0, newWallet: wallet, owner: stranger, deadline: nowSeconds + 300, ...message },
})
const word = (high: bigint, low: bigint) => `0x${((high << 128n) | low).toString(16).padStart(64, '0')}`
const operation = (message: Record<string, unknown> = {}): Data => ({
  domain: { name: 'ERC4337', version: '1', chainId: chain.id, verifyingContract: entryPoint },
  types: typesOf('PackedUserOperation'),
  primaryType: 'PackedUserOperation',
  message: {
    sender: wallet,
    nonce: 3n,
    initCode: '0x',
    callData: calls,
    accountGasLimits: word(100n, 100n),
    preVerificationGas: 100n,
    gasFees: word(1n, 20n),
    paymasterAndData: '0x',
    ...message,
  },
})
const info = (change: Record<string, unknown> = {}) => ({
  reactor,
  swapper: wallet,
  nonce: 1n,
  deadline: nowSeconds + 1800,
  additionalValidationContract: '0x0000000000000000000000000000000000000000',
  additionalValidationData: '0x',
  ...change,
})
const witness = (change: Record<string, unknown> = {}) => ({
  info: info(),
  cosigner: stranger,
  baseInputToken: usdc,
  baseInputStartAmount: 100n,
  baseInputEndAmount: 100n,
  baseOutputs: [{ token: weth, startAmount: 60n, endAmount: 50n, recipient: wallet }],
  ...change,
})
const order = (message: Record<string, unknown> = {}): Data => ({
  domain: permit2Domain(),
  types: typesOf('PermitWitnessTransferFrom'),
  primaryType: 'PermitWitnessTransferFrom',
  message: {
    permitted: { token: usdc, amount: 100n },
    spender: reactor,
    nonce: 1n,
    deadline: nowSeconds + 1800,
    witness: witness(),
    ...message,
  },
})
const login = (change: Partial<Parameters<typeof createSiweMessage>[0]> = {}): string =>
  createSiweMessage({
    domain: 'agents.example',
    address: wallet,
    statement: 'Log in.',
    uri: 'https://agents.example/login',
    version: '1',
    chainId: chain.id,
    nonce: 'abcdefgh1234',
    issuedAt: new Date(nowSeconds * 1000),
    expirationTime: new Date((nowSeconds + 900) * 1000),
    ...change,
  })

const typed = (typedData: unknown, change: Partial<SignatureContext> = {}) =>
  checkSignature({ kind: 'typed-data', typedData }, { ...context, ...change })
const text = (message: unknown, change: Partial<SignatureContext> = {}) =>
  checkSignature({ kind: 'message', message }, { ...context, ...change })

describe('what is signed beside transactions', () => {
  it.each<readonly [string, Data]>([
    ['a Permit2 allowance', permit()],
    ['a batch of two', batch([details(), wethEntry()])],
    ['a permit over a v3 position', positionPermit()],
    ['the consent to be the wallet of agent 0', consent()],
    ['a user operation whose calls passed', operation()],
    ['an order of a known reactor', order()],
    [
      'one that names the type of its domain',
      {
        ...consent(),
        types: {
          ...typesOf('AgentWalletSet'),
          EIP712Domain: [
            { name: 'name', type: 'string' },
            { name: 'version', type: 'string' },
            { name: 'chainId', type: 'uint256' },
            { name: 'verifyingContract', type: 'address' },
          ],
        },
      },
    ],
  ])('%s', (_what, data) => {
    expect(typed(data)).toBeNull()
    expect(typed(data, { grants: [] })).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })

  it('a log-in at a known domain', () => {
    expect(text(login())).toBeNull()
    expect(text(login(), { grants: [] })).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })
})

const withDomain = (data: Data, domain: Record<string, unknown>): Data => ({
  ...data,
  domain: { ...data.domain, ...domain },
})
const withTypes = (data: Data, types: Record<string, unknown>): Data => ({
  ...data,
  types: { ...data.types, ...types },
})

describe('what is not signed', () => {
  it.each<readonly [string, unknown]>([
    // Permit2
    ['an unlimited amount', permit({ details: details({ amount: 2n ** 160n - 1n }) })],
    ['an amount one above the granted', permit({ details: details({ amount: 5_000_001n }) })],
    ['an amount below the granted', permit({ details: details({ amount: 4_999_999n }) })],
    ['another token', permit({ details: details({ token: stranger }) })],
    ['another spender', permit({ spender: stranger })],
    ['a known spender that was not granted', permit({ spender: chain.amm.v3!.swapRouter02 })],
    ['an allowance of 30 minutes and a second', permit({ details: details({ expiration: nowSeconds + 1801 }) })],
    ['an allowance for ever', permit({ details: details({ expiration: 2n ** 48n - 1n }) })],
    ['a permit usable for more than 10 minutes', permit({ sigDeadline: nowSeconds + 601 })],
    ['a permit that is over', permit({ sigDeadline: nowSeconds })],
    ['another chain', withDomain(permit(), { chainId: 1 })],
    ['another contract as Permit2', withDomain(permit(), { verifyingContract: usdc })],
    ['a salted domain', withDomain(permit(), { salt: `0x${'00'.repeat(32)}` })],
    ['a domain with a version Permit2 has not', withDomain(permit(), { version: '1' })],
    ['a domain of another name', withDomain(permit(), { name: 'permit2' })],
    ['a domain without its chain', { ...permit(), domain: { name: 'Permit2', verifyingContract: chain.permit2 } }],
    ['a batch with one bad entry', batch([details(), details({ token: weth, amount: 8n })])],
    ['a batch that uses one grant twice', batch([details(), details()])],
    ['an empty batch', batch([])],
    ['an extra type', withTypes(permit(), { Order: [{ name: 'all', type: 'uint256' }] })],
    ['a type with an extra member', withTypes(permit(), { PermitDetails: [{ name: 'token', type: 'address' }] })],
    [
      'a domain type that leaves the chain out',
      withTypes(permit(), {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'verifyingContract', type: 'address' },
        ],
      }),
    ],
    ['an extra field', permit({ owner: stranger })],
    ['a field with a look-alike name', permit({ spender: undefined, 'spend\u0435r': router })],
    ['a missing field', { ...permit(), message: { details: details(), spender: router } }],
    ['an amount in hex', permit({ details: details({ amount: '0x4c4b40' }) })],
    ['an amount in another notation', permit({ details: details({ amount: '5e6' }) })],
    ['an amount with full-width digits', permit({ details: details({ amount: '\uff15000000' }) })],
    ['a negative amount', permit({ details: details({ amount: -1n }) })],
    ['an address with a wrong checksum', permit({ spender: router.replace(/[a-f]/, (one) => one.toUpperCase()) })],
    ['a transfer by signature', { ...permit(), primaryType: 'PermitTransferFrom' }],
    [
      "a token's own permit",
      { ...permit(), domain: { ...permit2Domain(), name: 'USD Coin', verifyingContract: usdc }, primaryType: 'Permit' },
    ],
    // positions of v3
    ['a permit over another position', positionPermit({ tokenId: 8n })],
    ['a permit for another spender', positionPermit({ spender: stranger })],
    ['a permit for a known spender that was not granted', positionPermit({ spender: chain.amm.v3!.swapRouter02 })],
    ['a permit after another one', positionPermit({ nonce: 3n })],
    ['a permit that ends at another time', positionPermit({ deadline: nowSeconds + 599 })],
    ['a permit over a position elsewhere', withDomain(positionPermit(), { chainId: 1 })],
    ['a permit at another position manager', withDomain(positionPermit(), { verifyingContract: usdc })],
    ['a permit of another name', withDomain(positionPermit(), { name: 'Uniswap V3 Positions NFT-V2' })],
    // the registry
    ['a consent for another wallet', consent({ newWallet: stranger })],
    ['a consent for another agent', consent({ agentId: 1 })],
    ['a consent to another owner', consent({ owner: wallet })],
    ['a consent of more than five minutes', consent({ deadline: nowSeconds + 301 })],
    ['a consent at another registry', withDomain(consent(), { verifyingContract: stranger })],
    // user operations
    ['other calls', operation({ callData: '0x34fcd5bf' })],
    ['another account', operation({ sender: stranger })],
    ['another nonce', operation({ nonce: 4n })],
    ['a paymaster nobody asked for', operation({ paymasterAndData: stranger })],
    ['gas that costs more', operation({ preVerificationGas: 101n })],
    ['fees that cost more', operation({ gasFees: word(1n, 21n) })],
    [
      'another entry point',
      withDomain(operation(), { verifyingContract: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' }),
    ],
    // orders
    [
      'an order of an unknown reactor',
      order({ spender: stranger, witness: witness({ info: info({ reactor: stranger }) }) }),
    ],
    ['an order whose spender is not its reactor', order({ spender: router })],
    [
      'an order that pays a stranger',
      order({
        witness: witness({ baseOutputs: [{ token: weth, startAmount: 60n, endAmount: 50n, recipient: stranger }] }),
      }),
    ],
    [
      'an order that decays too far',
      order({
        witness: witness({ baseOutputs: [{ token: weth, startAmount: 60n, endAmount: 49n, recipient: wallet }] }),
      }),
    ],
    [
      'an order that brings another token',
      order({
        witness: witness({ baseOutputs: [{ token: usdc, startAmount: 60n, endAmount: 50n, recipient: wallet }] }),
      }),
    ],
    ...(
      [
        ['begins lower', { startAmount: 59n }],
        ['ends higher than was weighed', { endAmount: 51n }],
      ] as const
    ).map(([what, change]): [string, Data] => [
      `an order that ${what}`,
      order({
        witness: witness({
          baseOutputs: [{ token: weth, startAmount: 60n, endAmount: 50n, recipient: wallet, ...change }],
        }),
      }),
    ]),
    [
      'an order with a second output',
      order({
        witness: witness({
          baseOutputs: [
            { token: weth, startAmount: 60n, endAmount: 50n, recipient: wallet },
            { token: weth, startAmount: 60n, endAmount: 50n, recipient: wallet },
          ],
        }),
      }),
    ],
    ['an order that takes less than its input', order({ permitted: { token: usdc, amount: 99n } })],
    ['an order with another nonce', order({ nonce: 2n })],
    ["an order whose nonce is not its permit's", order({ witness: witness({ info: info({ nonce: 2n }) }) })],
    ['an order that ends later', order({ witness: witness({ info: info({ deadline: nowSeconds + 1799 }) }) })],
    ['an order of another cosigner', order({ witness: witness({ cosigner: wallet }) })],
    ['an order of another input token', order({ witness: witness({ baseInputToken: weth }) })],
    ['an order that takes more', order({ permitted: { token: usdc, amount: 101n } })],
    ['an order whose input grows', order({ witness: witness({ baseInputEndAmount: 101n }) })],
    ['an order of another account', order({ witness: witness({ info: info({ swapper: stranger }) }) })],
    [
      'an order that asks another contract',
      order({ witness: witness({ info: info({ additionalValidationContract: stranger }) }) }),
    ],
    ['an order that stands for an hour', order({ deadline: nowSeconds + 3600 })],
    // no typed data at all
    ['nothing', null],
    ['a text', JSON.stringify(permit(), (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))],
    ['a list', [permit()]],
    ['more than typed data', { ...permit(), account: wallet }],
  ])('typed data: %s', (_what, data) => {
    expect(typed(data)).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED', message: expect.stringMatching(/\.$/) })
  })

  it.each<readonly [string, unknown]>([
    ['any text', 'hello'],
    ['raw bytes', { raw: '0x00' }],
    ['a transaction as text', '0x02f8'],
    ['another domain', login({ domain: 'agents.example.evil' })],
    ['a uri of another host', login({ uri: 'https://evil.example/login' })],
    ['another nonce', login({ nonce: 'abcdefgh1235' })],
    ['another chain', login({ chainId: 1 })],
    ['another wallet', login({ address: stranger })],
    ['more than 15 minutes', login({ expirationTime: new Date((nowSeconds + 901) * 1000) })],
    ['a log-in that is over', login({ expirationTime: new Date(nowSeconds * 1000) })],
    ['a log-in of the future', login({ issuedAt: new Date((nowSeconds + 61) * 1000) })],
    ['rights at other places', login({ resources: ['https://evil.example'] })],
    ['words after it', `${login()}\nand everything else`],
    ['words before it', `I agree. ${login()}`],
    ['a look-alike letter', login().replace('Log', 'L\u043eg')],
    ['no end', login().replace(/\nExpiration Time: .*/, '')],
  ])('messages: %s', (_what, message) => {
    expect(text(message)).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })

  it('raw hashes', () => {
    const hash = `0x${'11'.repeat(32)}`
    expect(checkSignature({ kind: 'hash', hash }, context)).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })
})

it('a permit over a position is for ten minutes at most, whatever is granted', () => {
  const deadline = nowSeconds + 601
  const longer: SignatureGrant = { kind: 'position-permit', spender: router, tokenId: 7n, nonce: 2n, deadline }
  expect(typed(positionPermit({ deadline }), { grants: [longer] })).toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
})
