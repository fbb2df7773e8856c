import { daemonState } from '../commands/service/service-commands.ts'
import type { Context } from '../context.ts'
import { daemonMetrics } from '../daemon-metrics.ts'
import { EXIT } from '../exit.ts'
import type { Wiring } from '../program.ts'
import { printOutcome, printValue } from '../terminal/output.ts'
import { progress } from '../terminal/progress.ts'
import { suggested } from '../terminal/report.ts'
import { styled } from '../terminal/styles.ts'
import type { Check, Finding, Patient } from './check.ts'

/** Returns the settings and database of a command. Throws AppError if a setting is wrong. */
export function patientOf(context: Context, wiring: Wiring): Patient {
  const { values: settings, sources, oddities } = wiring.settings(context.options)
  return {
    settings,
    sources,
    oddities: oddities.map(({ kind, finding, fix }) => ({ kind, finding, fix })),
    path: String(settings['db']),
    open: () => context.open(),
    switches: () => wiring.switches(context.options),
    daemon: () => daemonState(wiring, context),
    metrics: () => daemonMetrics(settings),
  }
}

/** Yields what these checks find, in order. Says in a terminal what is being checked. */
export async function* examined(checks: readonly Check[], patient: Patient, context: Context): AsyncIterable<Finding> {
  const shown = progress(context, 'doctor', undefined)
  try {
    for (const [index, check] of checks.entries()) {
      shown.say(`${index + 1} of ${checks.length}: ${check.about}`)
      yield* check.examine(patient)
    }
  } finally {
    shown.clear()
  }
}

/** Prints the findings, each with the command that fixes it, or that all is well. Returns the exit code. */
export async function tell(context: Context, found: AsyncIterable<Finding>, allWell: string): Promise<number> {
  const findings: Finding[] = []
  for await (const each of found) findings.push({ ...each, fix: suggested(each.fix, context.options) })
  const print = findings.length === 0 ? printOutcome : printValue
  await print(context, findings, () =>
    findings.length === 0
      ? [`${styled(context, 'green', 'ok')}${allWell}`]
      : findings.flatMap(({ severity, finding, fix }) => [
          `${severity === 'warning' ? styled(context, 'yellow', 'warning') : styled(context, 'red', 'found')}: ${finding}`,
          ...(fix === '' ? [] : [`  fix: ${fix}`]),
        ]),
  )
  return findings.length === 0 ? EXIT.ok : EXIT.negative
}
