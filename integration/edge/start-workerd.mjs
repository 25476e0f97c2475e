import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('node_modules/@cloudflare/workerd-linux-64/bin/workerd', import.meta.url))

/** A workerd with one script on a port of its own, whose isolate has `heapMb` at most. */
export async function startWorkerd({
  folder,
  script,
  compatibilityDate,
  compatibilityFlags = [],
  settings = {},
  heapMb,
}) {
  const text = JSON.stringify
  const bindings = Object.entries(settings).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
  await writeFile(join(folder, 'bundle.mjs'), script)
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "bundle.mjs", esModule = embed "bundle.mjs")],
      compatibilityDate = ${text(compatibilityDate)},
      compatibilityFlags = ${text(compatibilityFlags)},
      bindings = [${bindings.join(', ')}],
    )),
    (name = "internet", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  v8Flags = [${heapMb === undefined ? '' : text(`--max-heap-size=${heapMb}`)}],
);
`,
  )
  const worker = spawn(binary, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const said = []
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (chunk) => said.push(chunk))
  const running = () => worker.exitCode === null && worker.signalCode === null
  for await (const line of createInterface({ input: worker.stdio[3] })) {
    const { event, port } = JSON.parse(line)
    if (event !== 'listen') continue
    return {
      url: `http://127.0.0.1:${port}`,
      said: () => Buffer.concat(said).toString('utf8'),
      isRunning: running,
      /** Seconds of CPU, and the most memory that it has had, in MiB. */
      used: () => usedBy(worker.pid),
      async stop() {
        worker.kill()
        if (running()) await once(worker, 'exit')
      },
    }
  }
  throw new Error(`the worker ended before it listened: ${Buffer.concat(said).toString('utf8').slice(-2_000)}`)
}

function usedBy(pid) {
  const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = rest.split(' ').slice(11, 13).map(Number)
  const most = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return { cpuSeconds: (user + system) / ticksPerSecond, mostMb: Number(most?.[1]) / 1_024 }
}

/** Of Linux, wherever it was built for people. */
const ticksPerSecond = 100
