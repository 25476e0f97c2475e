import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'

/** A shell in a process group of its own, which runs one command after the other and keeps variables and jobs between them. */
export function openShell({ cwd, env, patienceMs }) {
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const mark = `end-${randomUUID()}`
  let printed = ''
  let look = () => {}
  bash.stdout.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk
    look()
  })
  bash.once('close', () => look())

  return {
    /** What the command prints to either stream, and its exit code. */
    run: (command) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`did not end within ${patienceMs} ms: ${command}\n${printed}`)),
          patienceMs,
        )
        look = () => {
          const [, text, code] = new RegExp(`^([^]*?)${mark} (\\d+)\n`).exec(printed) ?? []
          if (code === undefined && bash.exitCode === null) return
          clearTimeout(timer)
          look = () => {}
          if (code === undefined) return reject(new Error(`The shell ended with ${bash.exitCode}: ${printed}`))
          printed = ''
          resolve({ text, code: Number(code) })
        }
        bash.stdin.write(`{ ${command}\n} 2>&1 </dev/null; echo "${mark} $?"\n`)
      }),
    /** Ends the shell and all that it started. */
    close: () => {
      try {
        process.kill(-Number(bash.pid), 'SIGKILL')
      } catch {
        // nothing of it is alive
      }
    },
  }
}
