// A container without a container runtime: a root of its own, namespaces, a limit of memory, and the words of the Dockerfile.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openMemoryLimit } from '../../bench/parts/memory-limit.mjs'

const limitBytes = 256 * 1_048_576
const enter = fileURLToPath(new URL('enter.sh', import.meta.url))
const ask = fileURLToPath(new URL('ask.mjs', import.meta.url))
const path = 'PATH=/usr/local/bin:/usr/bin:/bin'

/** What the image says of itself. */
export function readDockerfile(text) {
  const wordsOf = (name) => JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(text)[1])
  return {
    environment: /^ENV (.*)$/m.exec(text)[1].split(' '),
    user: /^ARG RUN_AS=(\S+)$/m.exec(text)[1],
    entrypoint: wordsOf('ENTRYPOINT'),
    words: wordsOf('CMD'),
    probe: JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(text)[1]),
  }
}

/** Adds to the tree of the image what a base has: places to mount on, the links of a merged /usr, and who there is. */
export function makeRoot(root) {
  for (const name of ['proc', 'tmp', 'data', 'usr', 'dev', 'etc']) mkdirSync(join(root, name))
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/bash\nnode:x:1000:1000::/:/bin/bash\n')
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
}

/** Starts the image. `ended` resolves to exit code and signal. */
export async function startContainer({
  root,
  image,
  dataDir,
  environment = {},
  words = image.words,
  user = image.user,
}) {
  const limit = openMemoryLimit(limitBytes)
  if (typeof limit === 'string') throw new Error(limit)
  const given = [path, ...image.environment, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)]
  const namespaces = ['unshare', '--mount', '--pid', '--net', '--ipc', '--uts', '--fork']
  const command = [...namespaces, enter, root, dataDir, user, ...given, '--', ...image.entrypoint, ...words]
  const [program, ...args] = limit.wrap(command)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (printed.err += text))
  const ended = once(child, 'close')
  const pid = () => limit.pids().find((each) => isNode(each))
  return {
    child,
    printed,
    ended,
    limit,
    pid,
    ...looksAt(pid),
    ...entriesTo(pid, { user, image }),
    /** Resolves once it has said so on stderr. */
    async said(pattern) {
      for (const until = Date.now() + 30_000; Date.now() < until; await sleep(20)) {
        if (pattern.test(printed.err)) return
        if (child.exitCode !== null) break
      }
      throw new Error(`never said ${pattern}: ${printed.err}`)
    },
    async close() {
      for (const each of limit.pids()) process.kill(each, 'SIGKILL')
      await ended
      await limit.close()
    },
  }
}

/** What the system says of the server. */
function looksAt(pid) {
  const read = (name) => readFileSync(`/proc/${pid()}/${name}`, 'utf8')
  return {
    status: () => read('status'),
    coreLimit: () => /Max core file size\s+(\S+)/.exec(read('limits'))[1],
    /** User and system time, in steps of 10 ms. */
    cpuMs() {
      const fields = read('stat')
        .replace(/^.*\) /s, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
  }
}

/** Programs beside the server. */
function entriesTo(pid, { user, image }) {
  return {
    /** In its root, as its user. */
    exec: (...asked) => run(inside, pid(), [...asUser(user, image), ...asked]),
    /** As root of it, whatever its user is: how an operator enters on platforms that know no other. */
    execAsRoot: (...asked) => run(inside, pid(), ['/usr/bin/env', '-i', path, ...image.environment, ...asked]),
    /** Asks it over its own loopback, from outside its root, and gives what came back. */
    ask(what) {
      const { status, stdout, stderr } = run([], pid(), [process.execPath, ask, JSON.stringify(what)])
      if (status !== 0) throw new Error(`${stdout}${stderr}`)
      return JSON.parse(stdout)
    },
  }
}

const inside = ['--mount', '--pid', '--root', '--wd']

function isNode(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith('/node')
  } catch {
    return false
  }
}

function run(namespaces, pid, words) {
  return spawnSync('nsenter', [`--target=${pid}`, '--net', ...namespaces, '--', ...words], { encoding: 'utf8' })
}

function asUser(user, { environment }) {
  const [uid, gid] = user === '0:0' ? ['1000', '1000'] : user.split(':')
  return [
    '/usr/bin/setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '/usr/bin/env',
    '-i',
    path,
    ...environment,
  ]
}
