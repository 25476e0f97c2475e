import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { makeReaderProject } from './reader-project.ts'

const devnet = useDevnet()

test('docs/first-identity.md leads from an empty folder to an identity', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/first-identity.md'), 'utf8')
  const { rpcUrl, registry } = devnet()
  const project = await makeReaderProject({
    'tsconfig.json': blockOf(page, 'json'),
    'identity.ts': blockOf(page, 'ts'),
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
  } finally {
    await project.remove()
  }
})

function blockOf(page: string, language: string): string {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? []
  return block
}
