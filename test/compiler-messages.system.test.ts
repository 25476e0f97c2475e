import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeReaderProject } from './reader-project.ts'

// What a compiler says of a configuration that lacks a field depends on the order and the names of a union's members.
const calls = {
  privateKey: `new ServiceWallet({ mode: 'local', chainId: 31337 })`,
  authPrivateKey: `new ServiceWallet({ mode: 'managed', appId: 'app', appSecret: 'secret', walletId: 'wallet' })`,
  role: `registerAgent(new ServiceWallet({ mode: 'local', privateKey: '0x' }), { name: 'Ada', ipfsMode: 'inline' })`,
}

const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: ['node'] }

test('the programs of the wallet package in its README are TypeScript as they stand', async () => {
  const readme = await readFile(join(import.meta.dirname, '../packages/wallet/README.md'), 'utf8')
  const programs = [...readme.matchAll(/^```[jt]s\n([^]*?)^```/gm)].map(([, program]) => program)
  expect(programs.length).toBeGreaterThan(1)
  const project = await makeReaderProject({
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...compilerOptions,
        exactOptionalPropertyTypes: true,
        noPropertyAccessFromIndexSignature: true,
      },
      include: ['program.ts'],
    }),
    'program.ts': programs.join('\n'),
  })
  try {
    expect(await project.compile()).toBe('')
  } finally {
    await project.remove()
  }
})

test('the compiler names the field that a wallet or a registration lacks', async () => {
  const lines = Object.values(calls)
  const project = await makeReaderProject({
    'tsconfig.json': JSON.stringify({
      compilerOptions,
      include: ['program.ts'],
    }),
    'program.ts': [`import { registerAgent, ServiceWallet } from '@svc/wallet'`, ...lines].join('\n'),
  })
  try {
    const said = await project.compile()
    const complaints = said.split(/^(?=program\.ts)/m)
    expect(complaints).toHaveLength(3)
    for (const [index, field] of Object.keys(calls).entries()) {
      expect(complaints[index]).toContain(`Property '${field}' is missing in type`)
    }
  } finally {
    await project.remove()
  }
})
