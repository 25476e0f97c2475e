import type { StopCause } from '@svc/tool-server/until-stopped'
import { nearestName } from '@svc/runtime/nearest-name'
import { UsageError } from '../usage-error.ts'

/**
 * `svc transactions`: what the wallet has signed and how it stands, beside the running server, and the operator's word on
 * what is out. Resolves to the exit code: 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function transactions(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    list: async (rest: readonly string[]) => (await import('../transactions/list.ts')).list(rest),
    show: async (rest: readonly string[]) => (await import('../transactions/list.ts')).show(rest),
    cancel: async (rest: readonly string[]) => (await import('../transactions/requests.ts')).cancel(rest, stopped),
    resolve: async (rest: readonly string[]) => (await import('../transactions/requests.ts')).resolve(rest, stopped),
  }
  return runWord(argv, words, 'svc transactions takes list, show HASH, cancel HASH or resolve HASH')
}

/**
 * `svc policy`: what the operator's policy says, is wrong about, and becomes elsewhere; `add-token`, `add-delegate` and `add-operator` alone change it.
 * Resolves to the exit code: 0 in order, 1 something is wrong, 2 the words of the call are off.
 */
export async function policy(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    check: async (rest: readonly string[]) => (await import('../policy/check.ts')).check(rest),
    show: async (rest: readonly string[]) => (await import('../policy/show.ts')).show(rest),
    explain: async (rest: readonly string[]) => (await import('../policy/explain.ts')).explain(rest),
    test: async (rest: readonly string[]) => (await import('../policy/check.ts')).runCases(rest),
    schema: async (rest: readonly string[]) => (await import('../policy/compile.ts')).schema(rest),
    compile: async (rest: readonly string[]) => (await import('../policy/compile.ts')).compile(rest),
    'add-token': async (rest: readonly string[]) => (await import('../policy/add-token.ts')).addToken(rest, stopped),
    'add-delegate': async (rest: readonly string[]) =>
      (await import('../policy/add-delegate.ts')).addDelegate(rest, stopped),
    'add-operator': async (rest: readonly string[]) =>
      (await import('../policy/add-operator.ts')).addOperator(rest, stopped),
  }
  return runWord(
    argv,
    words,
    'svc policy takes show, check [FILE], explain PLAN, add-token CHAIN TOKEN, add-delegate CHAIN, add-operator NAME PASSKEY, test [FILE], schema or compile',
  )
}

/**
 * `svc lp`: analytics of liquidity provision without an agent, on files, or on the pools of a chain as the tools tell of them.
 * Resolves to the exit code, 130 when it was stopped in the middle of a call.
 */
export async function lp(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    backtest: async (rest: readonly string[]) => (await import('../lp/backtest.ts')).backtest(rest, stopped),
    optimize: async (rest: readonly string[]) => (await import('../lp/optimize.ts')).optimize(rest, stopped),
    'fee-tier': async (rest: readonly string[]) => (await import('../lp/fee-tier.ts')).feeTier(rest, stopped),
    replay: async (rest: readonly string[]) => (await import('../lp/replay.ts')).replay(rest),
  }
  return runWord(
    argv,
    words,
    'svc lp takes optimize, backtest or fee-tier, and a file of bars or a pool; or replay and a file of events',
  )
}

/** `svc audit`: checks, shows and replays the audit log, beside the running server. Resolves to the exit code. */
export async function audit(argv: readonly string[]): Promise<number> {
  const words = {
    verify: async (rest: readonly string[]) => (await import('../audit/audit-words.ts')).verify(rest),
    show: async (rest: readonly string[]) => (await import('../audit/audit-words.ts')).show(rest),
    replay: async (rest: readonly string[]) => (await import('../audit/audit-words.ts')).replay(rest),
  }
  return runWord(argv, words, 'svc audit takes verify, show or replay')
}

/**
 * `svc approvals`: the operator's word on operations that await one, beside the running server. Resolves to the exit code:
 * 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function approvals(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const decide = async (word: 'approve' | 'deny', rest: readonly string[]) =>
    (await import('../approvals/decide.ts')).decide(word, rest, stopped)
  const words = {
    list: async (rest: readonly string[]) => (await import('../approvals/list.ts')).list(rest),
    show: async (rest: readonly string[]) => (await import('../approvals/list.ts')).show(rest),
    approve: (rest: readonly string[]) => decide('approve', rest),
    deny: (rest: readonly string[]) => decide('deny', rest),
    cancel: async (rest: readonly string[]) => (await import('../approvals/decide.ts')).cancel(rest),
    page: async (rest: readonly string[]) => (await import('../approvals/page/serve-page.ts')).page(rest, stopped),
  }
  return runWord(argv, words, 'svc approvals takes list, show ID, approve ID, deny ID, cancel ID or page')
}

/**
 * Runs the word that follows a command, as `list` in `svc approvals list`. Throws `UsageError` for a word that there is not: with
 * `takes`, which says what there is, and with the word that most likely was meant.
 */
export async function runWord(
  [name = '', ...rest]: readonly string[],
  words: Readonly<Record<string, (rest: readonly string[]) => Promise<number>>>,
  takes: string,
): Promise<number> {
  const run = Object.hasOwn(words, name) ? words[name] : undefined
  if (run !== undefined) return run(rest)
  const nearest = nearestName(name, Object.keys(words))
  throw new UsageError(nearest === null ? takes : `${takes}. Did you mean ${nearest}?`, { seeHelp: true })
}
