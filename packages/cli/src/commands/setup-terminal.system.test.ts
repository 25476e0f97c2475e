import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { afterEach, beforeEach, expect, it } from 'vitest'

// The program as it is installed, in a pseudo-terminal, which script (util-linux) makes.
const devnet = useDevnet()
const program = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
let directory: string
let provider: WalletProviderServer
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-terminal-'))
  provider = await createWalletProviderServer()
  writeFileSync(join(directory, 'chains.json'), JSON.stringify([devnet().chain]))
})
afterEach(async () => {
  await provider.close()
  rmSync(directory, { recursive: true, force: true })
})

async function converse(answers: readonly (readonly [RegExp, string])[]) {
  const { PATH = '', HOME = '' } = process.env
  // A terminal of no size breaks each line after each letter.
  const words = `stty cols 120 rows 40; exec '${process.execPath}' '${program}' setup production --skip-identity --chains ${devnet().chain.name} --data-dir '${directory}/data'`
  const terminal = spawn('script', ['-qfec', words, '/dev/null'], {
    env: {
      PATH,
      HOME,
      TERM: 'xterm',
      SVC_WALLET_API_URL: provider.url,
      SVC_CHAINS_FILE: join(directory, 'chains.json'),
    },
  })
  let seen = ''
  let all = ''
  terminal.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString('utf8')
    all += chunk.toString('utf8')
  })
  const ended = new Promise<number | null>((resolve) => terminal.once('exit', resolve))
  for (const [question, typed] of answers) {
    await expect.poll(() => seen, { interval: 20 }).toMatch(question)
    seen = ''
    terminal.stdin.write(typed)
  }
  return { code: await ended, shown: all }
}

const questions = (): readonly (readonly [RegExp, string])[] => [
  [/Wallet provider/, '\r'],
  [/App id/, `${provider.appId}\r`],
  [/App secret/, `${provider.appSecret}\r`],
  [/Endpoints/, `${devnet().rpcUrl}\r`],
  [/Role/, '\r'],
  [/Where the server/, '\r'],
]

it('asks at a terminal, shows no secret, and leaves a directory that a server of production starts on', async () => {
  const { code, shown } = await converse([...questions(), [/Make the wallet/, '\r']])
  expect([code, shown]).toEqual([0, expect.stringContaining('8/10 Health: nothing fails.')])
  expect(shown).not.toContain(provider.appSecret)
  expect(readFileSync(join(directory, 'data', '.env'), 'utf8')).toMatch(/^WALLET_TYPE=managed$/m)
})

it('leaves nothing behind after Ctrl-C', async () => {
  const { code, shown } = await converse([...questions(), [/Make the wallet/, '\u0003']])
  expect([code, shown]).toEqual([130, expect.stringContaining('Nothing was written.')])
  expect(existsSync(join(directory, 'data'))).toBe(false)
})
