import { linkField, sessionField } from './operator-paths.ts'
import { pageCss } from './html.ts'

/** The style of the approval page, and what gauges, tables and forms need besides. */
export const operatorCss = `${pageCss}
.signs { margin: 0; padding: .5rem .9rem; border-left: 5px solid var(--yes); background: var(--card); font-weight: 600 }
.signs.nothing, .signs.ways-home { border-left-color: var(--no) }
.stop { margin: .5rem 0 0; padding: .3rem .9rem; border-left: 5px solid var(--no); overflow-wrap: anywhere }
.gauges { display: grid; gap: .6rem }
.gauge { display: grid; grid-template-columns: minmax(0, 17rem) 1fr minmax(7.5rem, max-content); gap: .1rem .9rem; align-items: center; margin: 0 }
.gauge meter { width: 100%; height: 1rem }
.sum { font-variant-numeric: tabular-nums; text-align: right }
.positions { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere }
.positions li { margin: 0 0 .75rem; padding: .7rem 1.125rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap }
th { color: var(--soft); font-weight: 600 }
td.sum { text-align: right }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1rem 0 0 }
input { flex: 1 1 12rem; min-height: 2.75rem; padding: .4rem .7rem; border: 2px solid var(--soft); border-radius: .45rem; background: var(--card); color: var(--ink); font: inherit }
.plain { background: transparent; border-color: var(--soft); color: var(--ink) }
@media (max-width: 34rem) { .gauge { grid-template-columns: 1fr max-content } .gauge meter { grid-column: 1 / -1; grid-row: 2 } }
`

/** What both scripts need of passkeys and of the server; bytes travel as base64url. */
export const passkeyJs = String.raw`
export function bytesOf(text) {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0))
}

export function textOf(bytes) {
  const plain = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Has a passkey sign a challenge of the server, with the person's own consent each time. */
export async function confirmWith({ challenge, rpId, passkeys }) {
  const allowCredentials = passkeys.map((id) => ({ type: 'public-key', id: bytesOf(id) }))
  const publicKey = { challenge: bytesOf(challenge), rpId, allowCredentials, userVerification: 'required', timeout: 120000 }
  const { id, response } = await navigator.credentials.get({ publicKey })
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, clientData: textOf(clientDataJSON), authenticatorData: textOf(authenticatorData), signature: textOf(signature) }
}

/** What the server answers; what it refuses is thrown in its own words. */
export async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/operator/' + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const said = await answer.json()
  if (!answer.ok) throw new Error(said.message)
  return said
}

export function say(text) {
  document.getElementById('said').textContent = text
}

/** The browser's own words for a person who closed its window help nobody. */
export function sayFailed(error) {
  say(error.name === 'NotAllowedError' ? 'No passkey confirmed it. Nothing was done.' : error.message)
}
`

/** Signs in, or makes a passkey and shows the line that writes its public half into the policy. */
export const signInJs = String.raw`
import { bytesOf, confirmWith, post, say, sayFailed, textOf } from '/operator/passkey.js'

document.getElementById('sign-in').addEventListener('click', async () => {
  try {
    await post('sign-in', await confirmWith(await post('challenge', {})))
    location.reload()
  } catch (error) {
    sayFailed(error)
  }
})

document.getElementById('make').addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    await make(document.getElementById('name').value)
  } catch (error) {
    sayFailed(error)
  }
})

async function make(name) {
  const random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes))
  const { id, response } = await navigator.credentials.create({
    publicKey: {
      // Nothing is proved to the server here: whoever writes the key into the policy says whose it is.
      challenge: random(32),
      rp: { name: 'svc operator' },
      user: { id: random(16), name, displayName: name },
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    },
  })
  const key = response.getPublicKey()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', key))
  document.getElementById('line').textContent = 'svc policy add-operator -- ' + name + ' ' + id + '.' + textOf(key)
  const hex = Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
  document.getElementById('fingerprint').textContent = hex
  document.getElementById('made').hidden = false
  say('The passkey is made.')
}
`

/** Keeps the page fresh and sends decisions. Whatever it shows was rendered, and escaped, by the server. */
export const pageJs = String.raw`
import { confirmWith, post, say, sayFailed } from '/operator/passkey.js'

const state = document.getElementById('state')
const chains = document.getElementById('chains')
const isOperator = document.getElementById('operator') !== null
const known = new Map()
const held = 'svc-operator-session'
let busy = false
let decisions = 0

const pauseOf = () => state.querySelector('[data-paused]').dataset.paused

function dress() {
  if (!isOperator) return
  for (const button of state.querySelectorAll('button')) button.hidden = false
  for (const button of document.querySelectorAll('#switch button')) {
    button.hidden = (button.dataset.word === 'pause') !== (pauseOf() === '')
  }
}

function keyOf(element) {
  return element && element.dataset.word ? element.dataset.word + ' ' + element.dataset.id : null
}

/**
 * The link becomes a session that this tab alone keeps, for this scheme, host and port: a cookie would go to all ports of the machine. The link is
 * taken out of the address bar and the history.
 */
async function openWithLink() {
  const link = new URLSearchParams(location.search).get('token')
  if (link === null) return
  history.replaceState(null, '', '/operator')
  const answer = await fetch('/operator/open', { headers: { '${linkField}': link } })
  const { session, message, suggestion } = await answer.json()
  if (!answer.ok) throw new Error(message + ' ' + suggestion)
  sessionStorage.setItem(held, session)
}

function mayRead() {
  return isOperator || sessionStorage.getItem(held) !== null
}

function forget() {
  sessionStorage.removeItem(held)
  say('This page has ended. Open it again with the link that svc status --page prints.')
}

// What was asked for before a decision still holds the buttons of it, and would have a person asked a second time.
async function refresh(place, path) {
  const before = decisions
  if (!mayRead()) return
  const answer = await fetch('/operator/' + path, { headers: isOperator ? {} : { '${sessionField}': sessionStorage.getItem(held) } })
  if (answer.status === 401 && !isOperator) return forget()
  if (answer.status === 401) return location.reload()
  const fresh = await answer.text()
  if (!answer.ok || busy || before !== decisions || known.get(path) === plain(fresh)) return
  known.set(path, plain(fresh))
  const open = new Set([...place.querySelectorAll('details[open]')].map((element) => element.dataset.key))
  const focused = keyOf(document.activeElement)
  place.innerHTML = fresh
  for (const element of place.querySelectorAll('details')) element.open = open.has(element.dataset.key)
  dress()
  for (const button of place.querySelectorAll('button')) if (keyOf(button) === focused) button.focus()
}

/** Without the time that is left, which runs here. */
function plain(markup) {
  return markup.replace(/<time[^>]*data-until[^]*?<\/time>/g, '').replace(/, [\d a-z]+ left/g, '')
}

function countdown() {
  for (const time of state.querySelectorAll('time[data-until]')) {
    const seconds = Math.floor((Number(time.dataset.until) - Date.now()) / 1000)
    const minutes = Math.floor(seconds / 60)
    time.textContent = seconds < 0 ? 'over' : minutes >= 60 ? Math.floor(minutes / 60) + ' h ' + (minutes % 60) + ' min'
      : minutes > 0 ? minutes + ' min ' + (seconds % 60) + ' s' : seconds + ' s'
  }
}

/** What a button stands for, and how a person is asked before the passkey is. */
function decisionOf({ word, id, hash, question }) {
  if (word === 'pause') {
    const reason = document.getElementById('reason').value
    return { decision: { kind: word, reason: reason === '' ? null : reason }, asked: 'Pause signing? Nothing more is signed until it is resumed.' }
  }
  if (word === 'resume') return { decision: { kind: word, since: pauseOf() }, asked: 'Resume signing?' }
  const asked = { approve: question, deny: 'Deny this? It is not carried out.', cancel: 'Cancel this? It is not carried out any more.' }
  return { decision: { kind: word, id, planHash: hash }, asked: asked[word] }
}

async function decide(button) {
  const { decision, asked } = decisionOf(button.dataset)
  if (!confirm(asked)) return
  busy = true
  button.disabled = true
  try {
    const assertion = await confirmWith(await post('ask', decision))
    const { message } = await post('decide', { decision, assertion })
    say(message)
  } catch (error) {
    sayFailed(error)
  }
  button.disabled = false
  busy = false
  decisions += 1
  known.delete('state')
  await refresh(state, 'state').catch(() => {})
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-word]')
  if (button !== null) void decide(button)
})
document.getElementById('switch')?.addEventListener('submit', (event) => event.preventDefault())
document.getElementById('sign-out')?.addEventListener('click', async () => {
  await post('sign-out', {}).catch(sayFailed)
  location.reload()
})

function sayUnanswered() {
  say('The server does not answer. What is shown may be old.')
}

function every(ms, place, path) {
  setInterval(() => {
    if (document.visibilityState === 'visible') refresh(place, path).catch(sayUnanswered)
  }, ms)
}

async function begin() {
  if (!isOperator) {
    await openWithLink()
    if (!mayRead()) return say('This page opens with a link, once: run svc status --page on this machine, and open what it prints.')
    await refresh(state, 'state').catch(sayUnanswered)
    if (mayRead()) chains.textContent = 'Chains are being asked for positions and health.'
  }
  await refresh(chains, 'chains').catch(() => {})
}

dress()
setInterval(countdown, 1000)
begin().catch(sayFailed)
every(5000, state, 'state')
every(60000, chains, 'chains')
`
