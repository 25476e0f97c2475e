// A real limit of memory around a program, swap counted in: a group of cgroup v1, which takes root.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const controller = '/sys/fs/cgroup/memory'

/** The limit, or why there can be none here. */
export function openMemoryLimit(bytes) {
  if (process.getuid?.() !== 0) return 'a memory limit takes root'
  if (!existsSync(`${controller}/memory.limit_in_bytes`)) return 'there is no memory controller of cgroup v1'
  const group = `${controller}/svc-bench-${process.pid}-${randomUUID()}`
  mkdirSync(group)
  writeFileSync(`${group}/memory.limit_in_bytes`, String(bytes))
  // Memory and swap together may be no more: nothing is swapped out. A kernel without swap has no such file.
  const withSwap = `${group}/memory.memsw.limit_in_bytes`
  if (existsSync(withSwap)) writeFileSync(withSwap, String(bytes))
  return {
    /** Puts a program into the group before its first instruction. */
    wrap: (command) => ['sh', '-c', 'echo $$ > "$0/cgroup.procs"; exec "$@"', group, ...command],
    mostMb: () => Number(readFileSync(`${group}/memory.max_usage_in_bytes`, 'utf8')) / 1_048_576,
    kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(`${group}/memory.oom_control`, 'utf8'))?.[1] ?? 0),
    pids: () => readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number),
    /** The group can go once its last process is reaped. */
    async close() {
      for (let tries = 0; tries < 50; tries += 1) {
        try {
          rmdirSync(group)
          return
        } catch {
          await sleep(100)
        }
      }
    },
  }
}
