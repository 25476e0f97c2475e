import type { ActiveAlert } from '../alerts/alert-table.ts'
import { html, type Html } from './html.ts'
import {
  type LastWrite,
  budgetTexts,
  type OperatorStatus,
  type HeldPosition,
  type HeldPositions,
} from './read-status.ts'
import { listView } from './operations-view.ts'
import type { OperationList } from './read-list.ts'
import { printable } from '@svc/runtime'
import type { SetupReport } from '../tool-context.ts'

/** What the page shows of the state and asks for again every few seconds. Unix milliseconds. */
export function statusView({ status, alerts, list }: Shown, { now, decides }: StatusOptions): Html {
  return html`<section aria-labelledby="signing">
      <h2 id="signing">Signing</h2>
      ${signingView(status)}
    </section>
    ${alertsView(alerts)}
    <section aria-labelledby="limits">
      <h2 id="limits">Limits of 24 hours, in US dollars</h2>
      ${limitsView(status)}
    </section>
    ${listView(list, now, decides)}
    <section aria-labelledby="writes">
      <h2 id="writes">Last writes</h2>
      ${writesView(status.lastWrites)}
    </section>`
}

export type Shown = {
  readonly status: OperatorStatus
  readonly alerts: readonly ActiveAlert[]
  readonly list: OperationList
}

type StatusOptions = {
  readonly now: number
  /** Whether a decision is taken on this page. */
  readonly decides: boolean
}

/** The pause that stands is named, for whoever ends it means this one. */
function signingView({ signs, pause, breaker, policy, out, orders }: OperatorStatus): Html {
  const stops = [
    ...(pause === null ? [] : [html`Paused since ${pause.since}${byText(pause.by)}${becauseText(pause.reason)}.`]),
    ...(breaker.open
      ? [
          html`The circuit breaker is open since ${breaker.since ?? 'some time'}${becauseText(breaker.cause)}. It is
            re-armed on the machine: <code>svc resume --rearm</code>.`,
        ]
      : []),
    ...policy.problems.map((problem) => html`The policy is broken: ${problem}`),
  ]
  return html`<p class="signs ${signs}" data-paused="${pause?.since ?? ''}">${signsText[signs]}</p>
    ${stops.map((stop) => html`<p class="stop">${stop}</p>`)}
    <p class="by">
      ${out === 1 ? '1 transaction is' : `${out} transactions are`} signed and not
      decided${orders.open === 0 ? '' : `; ${orders.open} signed orders may be filled by others until ${orders.lastExpiresAt}, whatever stops signing`}${orders.crossChain === 0 ? '' : `; ${orders.crossChain} cross-chain orders are open`}.
    </p>`
}

const signsText = {
  everything: 'Signing is on.',
  'ways-home': 'Signing is stopped, but for what only brings funds home.',
  nothing: 'Nothing is signed.',
} as const

function byText(by: string | null): string {
  return by === null ? '' : ` by ${by}`
}

function becauseText(reason: string | null): string {
  return reason === null ? '' : `, because "${reason}"`
}

function alertsView(alerts: readonly ActiveAlert[]): Html {
  return html`<section aria-labelledby="alerts">
    <h2 id="alerts">Alerts</h2>
    ${
      alerts.length === 0
        ? html`<p class="by">None stands.</p>`
        : html`<ul class="warnings">
            ${alerts.map(({ alert, severity, summary, since }) => html`<li><strong>${severity}: ${alert}</strong> since ${since}. ${summary}</li>`)}
          </ul>`
    }
  </section>`
}

function limitsView({ spentUsd, leftUsd, freesAt, limitsUsd, budgetsUsd }: OperatorStatus): Html {
  if (limitsUsd === null || budgetsUsd === null)
    return html`<p>${spentUsd} spent. The limits are not known while the policy is broken.</p>`
  const frees = freesAt === null ? '' : `; the first is freed at ${freesAt}`
  return html`<div class="gauges">
      ${gaugeView('spent', 'Spent, gas included', { used: spentUsd, cap: limitsUsd.daily })}
      ${budgetTexts.map(([name, what]) => gaugeView(name, gaugeName(what), budgetsUsd[name]))}
    </div>
    <p class="by">
      ${leftUsd} left today${frees}. At most ${limitsUsd.perTransaction} a transaction and ${limitsUsd.perSession} a
      session of one caller.
    </p>`
}

/** A bar has no end where nothing is allowed, so there it is words alone. */
function gaugeView(name: string, what: string, { used, cap }: { readonly used: string; readonly cap: string }): Html {
  const id = `gauge-${name}`
  if (Number(cap) <= 0)
    return html`<p class="gauge"><span>${what}</span> <span class="sum">${used} of ${cap}: none is allowed</span></p>`
  const high = Number(cap) * nearlyUsed
  return html`<p class="gauge">
    <label for="${id}">${what}</label>
    <meter id="${id}" min="0" max="${cap}" low="${high}" high="${cap}" optimum="0" value="${used}"></meter>
    <span class="sum">${used} of ${cap}</span>
  </p>`
}

/** From here on a gauge changes its colour: where the alert of the daily limit is raised, too. */
const nearlyUsed = 0.8

function gaugeName(what: string): string {
  return `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`
}

function writesView(writes: readonly LastWrite[]): Html {
  if (writes.length === 0) return html`<p class="by">None is on record.</p>`
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table of last writes">
    <table>
      <thead>
        <tr>
          <th scope="col">At</th>
          <th scope="col">Tool</th>
          <th scope="col">Outcome</th>
          <th scope="col">Spent</th>
          <th scope="col">Lost at most</th>
          <th scope="col">Transaction</th>
        </tr>
      </thead>
      <tbody>
        ${writes.map(
          ({ at, tool, outcome, code, spentUsd, lostUsd, txHash }) =>
            html`<tr>
              <td><time datetime="${at}">${at.slice(0, 19)}</time></td>
              <td><code>${tool}</code></td>
              <td>${outcome}${code === null ? null : html` <code>${code}</code>`}</td>
              <td class="sum">${spentUsd ?? ''}</td>
              <td class="sum">${lostUsd ?? ''}</td>
              <td><code>${txHash ?? ''}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** What chains and endpoints are asked for, so the page asks for it once in a while: what the wallet has in pools, and whether all is well. */
export function chainsView({ held, asked, setup }: ChainsShown): Html {
  return html`<section aria-labelledby="positions">
      <h2 id="positions">Positions</h2>
      ${positionsView(held, asked)}
    </section>
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      ${healthView(setup)}
    </section>`
}

export type ChainsShown = {
  readonly held: HeldPositions
  /** Names of the chains that were asked for them. */
  readonly asked: readonly string[]
  readonly setup: SetupReport
}

function positionsView({ owner, items, unread }: HeldPositions, asked: readonly string[]): Html {
  const where = asked.length === 0 ? 'no chain: the settings name no endpoint' : asked.join(', ')
  return html`<p class="by">Of <code>${owner}</code>, on ${where}</p>
    ${
      items.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="positions">
            ${items.map(positionView)}
          </ul>`
    }
    ${unread.length === 0 ? null : html`<p class="stop">Not all is read of: ${unread.join(', ')}</p>`}`
}

/** A symbol is a stranger's text. */
function positionView(one: HeldPosition, index: number): Html {
  const { chain, version, positionId, pair, amount0, amount1, place } = one
  const id = `place-${index}`
  return html`<li>
    <strong>${printable(pair, 80)}</strong>
    <small>${version} on ${chain}, <code>${printable(positionId, 80)}</code></small>
    <span class="amount">${amount0} and ${amount1}</span>
    ${
      place === null
        ? html`<span class="by">at all prices</span>`
        : html`<span class="gauge">
            <label for="${id}">${placeText(place)}</label>
            <meter id="${id}" min="0" max="1" value="${Math.min(1, Math.max(0, place))}"></meter>
          </span>`
    }
  </li>`
}

function placeText(place: number): string {
  if (place < 0) return 'Out of range, below'
  if (place >= 1) return 'Out of range, above'
  return `In range, ${Math.floor(place * 100)} % of the way up`
}

function healthView({ version, checks }: SetupReport): Html {
  const troubles = checks.filter(({ status }) => status !== 'pass')
  const passed = checks.length - troubles.length
  return html`<p class="by">Version ${version}. ${passed} of ${checks.length} checks pass.</p>
    ${
      troubles.length === 0
        ? null
        : html`<ul class="warnings">
            ${troubles.map(
              ({ id, status, message, fix }) =>
                html`<li><strong>${status === 'fail' ? 'Broken' : 'To look at'}: ${id}</strong> ${message} ${fix}</li>`,
            )}
          </ul>`
    }`
}
