import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anvilPath, startAnvil } from './start-anvil.ts'

const options = { path: anvilPath(process.env), chainId: 31_337, port: 0, args: [], readyTimeoutMs: 120_000 }

/** More than anvil keeps in memory, so that states of old blocks are on disk. */
const blocks = 600

describe('startAnvil', () => {
  test('answers when it resolves and is gone when stopped', async () => {
    const anvil = await startAnvil({ ...options, chainId: 10 })
    expect(await anvil.client.getChainId()).toBe(10)
    expect(isRunning(anvil.pid)).toBe(true)
    await anvil.stop()
    expect(isRunning(anvil.pid)).toBe(false)
    await anvil.stop()
  })

  test('says why it did not start', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await expect(startAnvil({ ...options, port })).rejects.toThrow(/anvil ended before it listened/)
    server.close()
    await expect(startAnvil({ ...options, path: '/nonexistent/anvil' })).rejects.toThrow(/did not start/)
    await expect(startAnvil({ ...options, args: ['--no-such-option'] })).rejects.toThrow(/no-such-option/)
  })

  test.each([
    ['is killed', 'SIGKILL' as const],
    ['ends without stopping it', 'exit' as const],
  ])('nothing is left when the process that started it %s', async (_, how) => {
    const module = new URL('../../dist/chain/start-anvil.js', import.meta.url)
    const script = `
      const { startAnvil } = await import(${JSON.stringify(module.href)})
      const anvil = await startAnvil(${JSON.stringify(options)})
      await anvil.client.mine({ blocks: ${blocks} })
      process.stdout.write(String(anvil.pid))
      process.stdin.once('data', () => process.exit(0))`
    const home = mkdtempSync(join(tmpdir(), 'svc-start-anvil-test-'))
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, HOME: home, TMPDIR: home },
    })
    const [chunk] = await once(parent.stdout, 'data')
    const pid = Number(String(chunk))
    expect(isRunning(pid)).toBe(true)
    const files = () => readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(files().filter((name) => name.endsWith('.json')).length).toBeGreaterThan(0)
    if (how === 'exit') parent.stdin.write('go')
    else parent.kill(how)
    await once(parent, 'exit')
    await expect.poll(() => isRunning(pid)).toBe(false)
    await expect.poll(files).toEqual([])
    rmSync(home, { recursive: true })
  })
})

/** Whether the process runs; a zombie has ended, only its parent has not noticed. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('Z')
  } catch {
    return false
  }
}
