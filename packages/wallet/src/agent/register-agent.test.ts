import { generatePrivateKey } from 'viem/accounts'
import { expect, test } from 'vitest'
import { ServiceWallet } from '../service-wallet.ts'
import { registerAgent } from './register-agent.ts'

const known = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'

test.each([
  ['no address at all', 'registry'],
  ['empty', ''],
  ['without 0x', known.slice(2)],
  ['a digit short', known.slice(0, -1)],
  ['with one letter changed, so that the checksum is wrong', known.replace('FB4a', 'FB4A')],
  ['between spaces', ` ${known} `],
])('a registry that is %s is refused by name before anybody is asked', async (_what, identity) => {
  const asked: string[] = []
  const endpoint = 'http://127.0.0.1:1'
  const rpcUrls = { 31337: endpoint }
  const wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  const onProgress = ({ step }: { readonly step: string }): void => void asked.push(step)
  const refused = registerAgent(wallet, { name: 'Ada', role: 'vault_manager', registry: { identity }, onProgress })
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_CONFIG_INVALID',
    message: expect.stringMatching(/^registry\.identity is not valid; accepted: an address: 0x and 40 hex/),
    details: { fields: [{ field: 'registry.identity' }] },
  })
  expect(asked).toEqual([])
})
