import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { deployContainer } from './deploy-container.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A runtime of this name: keeps what it is told, and ends each word with a code. */
function runtime(name: string, codes: Readonly<Record<string, number>> = {}): void {
  const cases = Object.entries(codes).map(([word, code]) => `*" ${word} "*) exit ${code};;`)
  const script = `#!/bin/sh\necho "${name} $*" >> '${folder}/asked'\ncase " $* " in ${cases.join(' ')} esac\n`
  writeFileSync(join(folder, name), script)
  chmodSync(join(folder, name), 0o755)
}

const asked = () =>
  existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n') : []

async function health(body: string): Promise<string> {
  const server = createServer((_request, response) => response.end(body))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`
}

const deploy = (healthUrl: string) =>
  deployContainer({
    composeFile: '/data/deploy/compose.yaml',
    healthUrl,
    environment: { PATH: folder },
    healthyWithinMs: 1,
  })

it('builds and starts with the runtime that can, and says that the server answers', async () => {
  runtime('docker', { version: 1 })
  runtime('podman')
  const url = await health('{"status":"ok"}')
  expect(await deploy(url)).toEqual({ deployed: true, said: `podman compose started it, and ${url} answers.` })
  expect(asked()).toContain('podman compose -f /data/deploy/compose.yaml up --build --detach')
  expect(asked().filter((line) => line.startsWith('docker') && line.includes(' up '))).toEqual([])
})

it('says what was not done: no runtime, no daemon, a build that fails, a server that is not ours', async () => {
  const url = await health('another program')
  expect(await deploy(url)).toEqual({ deployed: false, said: 'There is no container runtime with compose here.' })
  runtime('docker', { info: 1 })
  expect(await deploy(url)).toMatchObject({ deployed: false, said: expect.stringContaining('no container runtime') })
  runtime('docker', { up: 17 })
  expect(await deploy(url)).toMatchObject({ deployed: false, said: expect.stringContaining('exit code 17') })
  runtime('docker')
  expect(await deploy(url)).toMatchObject({
    deployed: false,
    said: expect.stringContaining('does not answer. See: docker compose -f /data/deploy/compose.yaml logs'),
  })
})
