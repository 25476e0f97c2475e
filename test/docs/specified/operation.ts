import { section } from './row.ts'

const server = 'packages/tool-server/src'
const cli = 'packages/cli/src/commands'

/** Of the document about the tool server its operation and deployment. */
export const operation = [
  ...section('Security of operation', [
    [
      'the wallet’s policy at the provider: contracts, methods, transfers, all else denied',
      'packages/wallet/src/signers/managed/provision-managed-wallet.test.ts',
      'makes a wallet that signs what its policy allows and nothing else',
    ],
    ['no raw key in production', `${server}/config.test.ts`, '%o'],
    ['TLS 1.3', `${server}/transports/edge.test.ts`, 'is 1.3 and nothing older'],
    [
      'CORS for known origins',
      `${server}/transports/http.test.ts`,
      'answers a preflight of an allowed origin and of no other',
    ],
    [
      'limits of requests by address and token',
      `${server}/transports/budgets.test.ts`,
      'holds whatever keys its requests come with',
    ],
    [
      'logs without `*.privateKey`, `*.apiSecret`, `*.seedPhrase`, `req.headers.authorization`, `*.walletAppSecret`',
      'packages/runtime/src/redact.test.ts',
      'hide members named %s, however deep',
    ],
    [
      'no core dumps, with `NODE_ENV=production` and without',
      `${server}/process.system.test.ts`,
      'are left by no server that ends by %s',
    ],
    [
      'one server a user, each with its secrets',
      `${server}/open-server.chain.test.ts`,
      'is the only server of its data directory',
    ],
  ]),
  ...section('Logs, figures, alerts', [
    [
      'each call: tool, parameters without secrets, duration, outcome',
      `${server}/dispatch/dispatch.test.ts`,
      'logs one line per call with its parameters, duration and outcome',
    ],
    [
      'each intent, submission (hash, chain, gas estimate), end (block, status, gas)',
      `test/docs/watching.test.ts`,
      'docs/watching.md names events of the log that there are',
    ],
    [
      'figures of infrastructure: connections, memory, CPU, throughput, errors',
      `${server}/metrics/metrics.test.ts`,
      'shows what the process uses',
    ],
    [
      'figures of tools: durations, success, errors',
      `${server}/metrics/metrics.test.ts`,
      'counts calls by tool, outcome and code',
    ],
    [
      'figures of transactions: success, time, gas, reverts, slippage',
      `${server}/open-server-metrics.chain.test.ts`,
      'shows a write in every layer',
    ],
    ['alert: volume', `${server}/alerts/watch-alerts.test.ts`, 'say that far more is moved than usual'],
    ['alert: a large withdrawal', `${server}/alerts/watch-alerts.test.ts`, 'say that one write took out a large sum'],
    [
      'alert: transactions that fail',
      `${server}/alerts/watch-alerts.test.ts`,
      'say that writes fail one after the other',
    ],
    [
      'alert: unknown recipients',
      `${server}/alerts/watch-alerts.test.ts`,
      'say that somebody asked for whom the policy does not list',
    ],
    [
      'alert: rate limits used up',
      `${server}/alerts/watch-alerts.test.ts`,
      'say that callers keep running into the rate limits',
    ],
    [
      'alert: 80 percent of the day',
      `${server}/alerts/watch-alerts.test.ts`,
      'say that four fifths of the daily limit are spent',
    ],
  ]),
  ...section('Deployment', [
    [
      'an image that serves HTTP on port 3000, and a second service for stdio',
      'integration/container/main.mjs',
      'stdio',
    ],
    [
      'suspended after 5 idle minutes, back within about 300 ms',
      'test/suspended.system.test.ts',
      'spends at most half a second of CPU on waking and its first answer',
    ],
    ['256 MB', 'bench/parts/auth-sessions.mjs', 'limitMb = 256'],
    [
      'asleep after 10 idle minutes: an operation that comes due runs at the next wake',
      `${server}/open-server.chain.test.ts`,
      'run by themselves when their time has come, although the server was started anew',
    ],
    [
      'an edge runtime of 128 MB and 30 s of CPU for the profile `data`',
      'integration/edge/server.mjs',
      'it answers as the server does',
    ],
  ]),
  ...section('A new operator', [
    [
      'from nothing: set-up without accounts, set-up for production, a deposit, an alert, a backup, a restore',
      'integration/operator/story.mjs',
      'Lose the machine, and restore',
    ],
    ['a failover', 'integration/operator/story.mjs', 'Lose the server that leads'],
    [
      '`setup --zero` and the agent’s own order of set-up',
      `${cli}/setup.test.ts`,
      'makes a directory whose server reads',
    ],
  ]),
]
