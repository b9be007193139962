/**
 * What each sign speaks for or against a skill, and the sums from which on it asks for caution or is dangerous. Made by
 * `npm run fit:scan`: logistic regression with L2 over labelled skills, thresholds by cross-validation.
 */
export const SKILL_WEIGHTS: SkillWeights = {
  base: -0.76,
  caution: 0.12,
  dangerous: 0.28,
  weights: readWeights(
    "BI2 info -0.27, CR1 info -0.24, CX1 warn 0.12, DE1 info 0.13, DE1 warn 0.21, DX1 critical 1.03, DX1 info -0.18, DX1 warn -0.06, DX2 critical 0.23, DX2 info -0.26, DX3 info 0.81, DX3 warn 1.19, DX5 info -0.11, EX1 critical 1.32, EX1 info -0.27, EX2 critical 0.38, EX2 info -0.14, EX3 critical 0.15, EX4 critical 0.29, EX4 info -0.10, EX5 info -0.23, PE1 critical 1.12, PE1 info 0.09, PE1 warn -0.65, PE2 critical 0.15, PE2 info 0.36, PE2 warn 0.65, PE3 info -0.53, PE3 warn -0.06, PI1 critical -0.26, PI1 info -0.76, PI1 warn -0.13, PI2 critical 0.54, PI3 info -0.41, PI3 warn 0.55, PI4 info 0.45, PI4 warn 0.05, PI5 critical 0.73, PI5 info -0.72, PI6 critical 0.12, PI6 info -1.47, PI6 warn 0.22, PI7 critical 0.22, PI7 info -0.35, PI8 warn -0.48, PI9 critical 0.14, PR1 critical 0.36, PR2 info 0.79, PR2 warn 0.60, SC1 info -0.74, SC1 warn 0.64, SC2 info 0.08, SE1 critical 1.18, SE2 critical 0.90, SE3 critical 0.90, SE3 info 0.17, TR1 info 0.56, UN2 warn -0.07, act agent-config auto-approve 1.70, act agent-config hook -0.22, act agent-config memory -0.28, act agent-config settings -0.16, act agent-config skill -0.20, act contact 0.64, act delete 0.48, act destroy files -0.31, act destroy repository 0.57, act disable-protection approval 0.56, act disable-protection firewall 1.49, act disable-protection gatekeeper 0.14, act disable-protection logging 0.19, act disable-protection sandbox 0.64, act dynamic-code -0.27, act environment -0.52, act fetch 0.47, act install-hook -0.31, act install-package -0.68, act install-skill -0.47, act listen -0.19, act literal-secret -0.24, act persist agent-hook -0.16, act persist authorized-keys 0.11, act persist cron -0.41, act persist git-hook 0.73, act persist launchd -0.07, act persist shell-startup -0.10, act persist systemd 0.26, act privilege sudo 0.11, act read 0.29, act remote-shell bash on /dev/tcp -0.09, act remote-shell bash reads a connection -0.08, act remote-shell nc 0.14, act run -1.83, act send 0.64, act write -0.50, anomaly active-markup -0.27, anomaly homoglyph -0.07, anomaly invisible-characters -0.46, conceal 1.10, contact foreign 0.55, contact known -0.18, contact own -0.09, contact placeholder 0.90, critical 7.61, destroy 1.26, excusedRisk 1.11, fetch foreign 0.41, fetch known -0.54, fetch own -0.33, fetch placeholder 1.52, fetch throwaway 0.75, fetch unknown -1.47, flow conversation network -0.11, flow conversation network unknown -0.07, flow decoded execute 0.24, flow decoded execute eval 0.10, flow decoded execute shell 0.07, flow decoded instructions 0.14, flow decoded write -0.25, flow file network 0.66, flow file network foreign -0.30, flow file network known -0.36, flow file network local -0.13, flow file network own -0.11, flow file network placeholder 0.72, flow file network throwaway 0.28, flow file network unknown 0.58, flow file write -0.30, flow input network -0.24, flow network execute 1.08, flow network execute eval 0.27, flow network execute file 0.39, flow network execute interpreter 0.20, flow network execute shell -0.09, flow network instructions 0.40, flow network write -0.12, flow secret cloud network 0.26, flow secret network foreign 0.19, flow secret network known -0.30, flow secret network own -0.05, flow secret network placeholder -0.26, flow secret network throwaway 0.15, flow secret network unknown -0.29, flow secret own-key network -1.43, flow secret own-key write -0.17, flow secret package-registry network 0.20, flow secret private network 0.06, flow secret ssh network -0.05, flow secret whole-environment network 0.46, flow secret write -0.35, flow system network 1.34, flow system network foreign 0.15, flow system network placeholder 0.44, forbids -1.31, hedge 0.86, hidden attribute 0.42, hidden html-comment -0.08, hidden invisible-style -0.31, info -0.26, insteadOf 0.43, lets -0.25, lie 0.80, link foreign -1.60, link known -2.42, link local -1.25, link own -1.76, link placeholder 1.50, link throwaway 1.76, link unknown -1.76, lure 1.32, payUnasked 0.87, security -1.63, send known -0.22, send local -0.10, send own -0.43, send placeholder 0.96, send throwaway 0.39, send unknown -0.31, slant 1.17, unasked 0.29, unsolicited 1.83, warn 2.71",
  ),
};

export interface SkillWeights {
  readonly base: number;
  readonly caution: number;
  readonly dangerous: number;
  readonly weights: Readonly<Record<string, number>>;
}

function readWeights(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    text.split(", ").map((entry) => {
      const end = entry.lastIndexOf(" ");
      return [entry.slice(0, end), Number(entry.slice(end + 1))];
    }),
  );
}
