import { type Address, concat, type Hex, keccak256, pad, toHex, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { holdsProof, type ProvenLeaf, readOfferedRewards } from './read-rewards.ts'

/** Root and proofs as @openzeppelin/merkle-tree 1.0.8 (SimpleMerkleTree) makes them of these five leaves. */
const root = '0x0ca71b2062f7afe9bb5ba6488b35fa34b8d708972286529d714a42d2b463af6e'
const [first, second, third, fourth] = [
  '0xc953d0727f0096bfb2359ff3e6426ffcb164adbabc129d88ccd55d6d38d6d064',
  '0xaa2dde34eae7a5f601730648b6ebf6ed66997c54b67be6b2103e3e094c9f7b97',
  '0xbfc0802bce9456fb23f26bcee00b1ae75598b064fa26786c13c282f5d1ec8b52',
  '0x1e2ac7807bb4849faa13499ac46c1b4335548b458801f3cd4b30c68224890b0b',
] as const
const address = (number: number): Address => pad(toHex(number), { size: 20 })
const leafOf = (user: number, token: number, amount: bigint, proof: readonly Hex[]): ProvenLeaf => ({
  user: address(user),
  token: address(token),
  amount,
  proof,
})
const leaves = [
  leafOf(1, 101, 5n, ['0x68be9333c5aa8659e7ee1e48719d7ca48431db0021a459ff8d85d730ab67d390', first]),
  leafOf(2, 101, 7n, ['0x1d893806663f7a8fee1db051e7726143a556634047ccc27ad2854227b60038cc', second, third]),
  leafOf(1, 102, 2n ** 200n, [fourth, second, third]),
  leafOf(3, 102, 1n, ['0xa7d414d15bd6e616ed9c600f79240bb3ac06da18fedc14be8cf6dd7d826e4d2b', first]),
  leafOf(4, 101, 12n, ['0xd6b9949380f3717db783ebdc96da5ca7d9b2547ddb2b597af4d07ff8c9af3dd0', third]),
]

test('holds for each leaf of a tree, in whatever case its nodes are written', () => {
  for (const leaf of leaves) {
    expect(holdsProof(root, leaf)).toBe(true)
    const proof = leaf.proof.map((node) => `0x${node.slice(2).toUpperCase()}` as const)
    expect(holdsProof(root, { ...leaf, proof })).toBe(true)
  }
})

test('holds for nobody else, for no other token or amount, and with no other proof', () => {
  for (const [index, leaf] of leaves.entries()) {
    const others = [
      { ...leaf, user: address(9) },
      { ...leaf, token: address(9) },
      { ...leaf, amount: leaf.amount + 1n },
      { ...leaf, proof: [] },
      { ...leaf, proof: leaf.proof.toReversed() },
      { ...leaf, proof: leaf.proof.slice(1) },
      { ...leaf, proof: [...leaf.proof, zeroHash] },
      { ...leaf, proof: leaves[(index + 1) % leaves.length]!.proof },
    ]
    for (const other of others) expect(holdsProof(root, other)).toBe(false)
    expect(holdsProof(zeroHash, leaf)).toBe(false)
    expect(holdsProof(keccak256(root), leaf)).toBe(false)
  }
})

test('the root of a tree of one leaf is the leaf itself', () => {
  const { user, token, amount } = leaves[0]!
  const only = keccak256(concat([pad(user), pad(token), pad(toHex(amount))]))
  expect(holdsProof(only, { user, token, amount, proof: [] })).toBe(true)
  expect(holdsProof(only, { user, token, amount: amount + 1n, proof: [] })).toBe(false)
})

const wallet = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984'
const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const node = `0x${'ab'.repeat(32)}`

/** As Merkl's API answers, with members that are not read. */
const reward = {
  root: node,
  distributionChainId: 8453,
  recipient: wallet,
  amount: '14172098606012883675',
  claimed: '10951906851596507470',
  pending: '4273406001446877',
  proofs: [node],
  token: { address: token.toLowerCase(), chainId: 8453, symbol: 'USDC', decimals: 6, price: 1 },
  breakdowns: [
    { reason: 'UniswapV4', amount: '1', claimed: '0', pending: '0', campaignId: '0x07', subCampaignId: null },
  ],
}
const chain = { id: 8453, name: 'Base', icon: '', liveCampaigns: 9 }

function read(answer: () => Response | Promise<Response>, timeoutMs = 60_000) {
  const asked: { url: string; authorization: string | null }[] = []
  const fetch = async (url: unknown, init?: RequestInit) => {
    asked.push({ url: String(url), authorization: new Headers(init?.headers).get('authorization') })
    return answer()
  }
  const service = { url: 'https://me:p%40ss@proofs.example/api/', fetch, timeoutMs }
  const rewards = readOfferedRewards(service, { chainId: 8453, wallet })
  return { asked, rewards }
}

const said = (body: unknown) => read(() => Response.json(body)).rewards

test('reads what the service offers, and asks for one wallet on one chain', async () => {
  const { asked, rewards } = read(() => Response.json([{ chain, rewards: [reward] }]))
  expect(await rewards).toEqual([
    {
      recipient: wallet,
      token,
      amount: 14_172_098_606_012_883_675n,
      pending: 4_273_406_001_446_877n,
      proof: [node],
      sources: [{ reason: 'UniswapV4', campaignId: '0x07' }],
    },
  ])
  const url = `https://proofs.example/api/v4/users/${wallet}/rewards?chainId=8453`
  expect(asked).toEqual([{ url, authorization: `Basic ${btoa('me:p@ss')}` }])
})

test('nothing earned is no error; what is said of other chains is left out; of many sources ten are kept', async () => {
  expect(await said([])).toEqual([])
  expect(await said([{ chain, rewards: [] }])).toEqual([])
  expect(await said([{ chain: { ...chain, id: 1 }, rewards: [reward] }])).toEqual([])
  const breakdowns = Array.from({ length: 40 }, () => reward.breakdowns[0])
  const [kept] = await said([{ chain, rewards: [{ ...reward, breakdowns }] }])
  expect(kept!.sources).toHaveLength(10)
  const { breakdowns: _left, ...bare } = reward
  expect((await said([{ chain, rewards: [bare] }]))[0]!.sources).toEqual([])
})

test.each<[string, unknown]>([
  ['no list', { chain, rewards: [] }],
  ['null', null],
  ['a chain without an id', [{ chain: {}, rewards: [] }]],
  ['no rewards', [{ chain }]],
  ['more rewards than there can be', [{ chain, rewards: Array.from({ length: 501 }, () => reward) }]],
  ...Object.entries({
    recipient: ['0x1', null, 'me'],
    amount: [5, '-5', '5.0', '0x5', '', '1e3', '9'.repeat(78), '1'.repeat(79)],
    pending: [0, null, '-1'],
    proofs: ['0x', ['0x'], [`${node}ab`], [null], Array.from({ length: 41 }, () => node)],
    token: [token, {}, { address: '0x1' }],
    breakdowns: [null, [{}], [{ reason: 1, campaignId: '1' }]],
  }).flatMap(([member, values]) =>
    values.map((value): [string, unknown] => [
      `${member} ${JSON.stringify(value)?.slice(0, 40)}`,
      [{ chain, rewards: [{ ...reward, [member]: value }] }],
    ]),
  ),
])('refuses %s', async (_what, body) => {
  await expect(said(body)).rejects.toMatchObject({ code: 'REWARDS_UNREADABLE', retryable: false })
})

test.each([
  [500, 'REWARDS_UNAVAILABLE'],
  [503, 'REWARDS_UNAVAILABLE'],
  [429, 'REWARDS_UNAVAILABLE'],
  [404, 'REWARDS_UNREADABLE'],
  [400, 'REWARDS_UNREADABLE'],
])('status %i is %s, and nothing that was said is repeated', async (status, code) => {
  const error = await read(() => new Response('sesame', { status })).rewards.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code,
    message: `The service that gives proofs of rewards answered with status ${status}.`,
  })
})

test.each<[string, () => Response | Promise<Response>, string]>([
  ['no JSON', () => new Response('<html>'), 'REWARDS_UNREADABLE'],
  ['more than 4 MiB', () => new Response(`["${'x'.repeat(5 * 1024 * 1024)}"]`), 'REWARDS_UNREADABLE'],
  ['too many values', () => new Response(`[${'0,'.repeat(200_000)}0]`), 'REWARDS_UNREADABLE'],
  ['a broken connection', () => Promise.reject(new TypeError('fetch failed')), 'REWARDS_UNAVAILABLE'],
  ['a body that never ends', () => new Response(new ReadableStream({})), 'REWARDS_UNAVAILABLE'],
])('%s ends as %s', async (what, answer, code) => {
  const timeoutMs = what.startsWith('a body') ? 20 : 60_000
  await expect(read(answer, timeoutMs).rewards).rejects.toMatchObject({ code })
})

test('ends with its caller', async () => {
  const leaving = new AbortController()
  const fetch: typeof globalThis.fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      leaving.abort()
    })
  const service = { url: 'https://proofs.example', fetch, timeoutMs: 60_000 }
  const rewards = readOfferedRewards(service, { chainId: 8453, wallet, signal: leaving.signal })
  await expect(rewards).rejects.toMatchObject({ code: 'CANCELLED' })
})
