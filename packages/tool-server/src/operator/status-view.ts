import type { ActiveAlert } from '../alerts/alert-table.ts'
import { html, type Html } from './html.ts'
import type { LastWrite } from './last-writes.ts'
import { listView } from './operations-view.ts'
import type { OperationList } from './read-list.ts'
import { budgetTexts, type OperatorStatus } from './read-status.ts'

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
