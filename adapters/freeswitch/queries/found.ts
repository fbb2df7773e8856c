import type { SwitchFinding } from '../../../core/ports/switching.ts'

export const found = (code: string, severity: SwitchFinding['severity'], finding: string, fix: string | null) => ({
  ...{ code: `freeswitch_${code}`, severity, finding, fix },
})
