import { expect, test } from 'vitest'
import { makeReaderProject } from './reader-project.ts'

// What a compiler says of a configuration that lacks a field depends on the order and the names of a union's members.
const wallets = {
  privateKey: `{ mode: 'local', chainId: 31337 }`,
  authPrivateKey: `{ mode: 'managed', appId: 'app', appSecret: 'secret', walletId: 'wallet' }`,
}

test('the compiler names the key that a wallet lacks', async () => {
  const lines = Object.values(wallets).map((config) => `new ServiceWallet(${config})`)
  const project = await makeReaderProject({
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: ['node'] },
      include: ['program.ts'],
    }),
    'program.ts': [`import { ServiceWallet } from '@svc/wallet'`, ...lines].join('\n'),
  })
  try {
    const said = await project.compile()
    const complaints = said.split(/^(?=program\.ts)/m)
    expect(complaints).toHaveLength(2)
    for (const [index, field] of Object.keys(wallets).entries()) {
      expect(complaints[index]).toContain(`Property '${field}' is missing in type`)
    }
  } finally {
    await project.remove()
  }
})
