import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, type Hash, http, parseAbi, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { makeReaderProject } from './reader-project.ts'

const devnet = useDevnet()

test('docs/first-identity.md leads from an empty folder to an identity', async () => {
  const page = pageOf('docs/first-identity.md')
  const [identity = '', send = ''] = blocksOf(page, 'ts')
  const [configuration = ''] = blocksOf(page, 'json')
  const { rpcUrl, registry } = devnet()
  const project = await makeReaderProject({
    'tsconfig.json': configuration,
    'identity.ts': identity,
    'send.ts': send,
  })
  try {
    expect(await project.compile()).toBe('')
    const privateKey = generatePrivateKey()
    const env = { RPC_URL: rpcUrl, REGISTRY: registry.identity, PRIVATE_KEY: privateKey }
    const owner = privateKeyToAddress(privateKey)
    const first: unknown = JSON.parse(await project.run('identity.js', env))
    expect(first).toEqual({ agentId: expect.stringMatching(/^31337:\d+$/), owner, isNew: true })
    expect(JSON.parse(await project.run('identity.js', env))).toEqual({ ...(first as object), isNew: false })
    const client = createPublicClient({ transport: http(rpcUrl) })
    const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
    const of = { address: registry.identity, abi, functionName: 'balanceOf', args: [owner] } as const
    expect(await client.readContract(of)).toBe(1n)
    const sent = JSON.parse(await project.run('send.js', env)) as { readonly hash: Hash; readonly block: string }
    expect(sent).toMatchObject({ status: 'success' })
    const { from, value, blockNumber } = await client.getTransaction({ hash: sent.hash })
    expect([from.toLowerCase(), value, `${blockNumber}`]).toEqual([
      owner.toLowerCase(),
      parseEther('0.001'),
      sent.block,
    ])
  } finally {
    await project.remove()
  }
})

test('the page has the overrides of the identity SDK as the README of the package has them', () => {
  const overridesOf = (path: string) =>
    blocksOf(pageOf(path), 'json')
      .map((block) => JSON.parse(block) as object)
      .filter((block) => 'overrides' in block)
  const ofReadme = overridesOf('packages/wallet/README.md')
  expect(ofReadme).toHaveLength(1)
  expect(overridesOf('docs/first-identity.md')).toEqual(ofReadme)
})

function pageOf(path: string): string {
  return readFileSync(join(import.meta.dirname, '..', path), 'utf8')
}

function blocksOf(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)
}
