/**
 * What each sign speaks for or against a skill, and the sums from which on it asks for caution or is dangerous. Made by
 * `npm run fit:scan`: logistic regression with L2 over labelled skills, thresholds by cross-validation.
 */
export const SKILL_WEIGHTS: SkillWeights = {
  base: -0.77,
  caution: 0.11,
  dangerous: 0.24,
  weights: readWeights(
    "BI2 info -0.28, CR1 info -0.26, DE1 info 0.11, DE1 warn 0.15, DX1 info -0.20, DX1 warn 0.05, DX2 info -0.25, DX3 info 0.81, DX3 warn 1.17, DX5 info -0.11, EX1 info -0.30, EX1 warn -0.13, EX2 info -0.14, EX4 info -0.08, EX5 info -0.24, PE1 info 0.09, PE1 warn -0.68, PE2 info 0.35, PE2 warn 0.60, PE3 info -0.55, PE3 warn -0.06, PI1 info -0.78, PI1 warn -0.13, PI2 info -0.09, PI3 info -0.39, PI3 warn 0.52, PI4 info 0.41, PI4 warn 0.06, PI5 info -0.73, PI6 info -1.50, PI6 warn 0.16, PI7 info -0.36, PR2 info 0.80, PR2 warn 0.57, SC1 info -0.76, SC1 warn 0.63, SC2 info 0.08, SE3 info 0.15, TR1 info 0.58, UN2 warn -0.06, act agent-config auto-approve 1.69, act agent-config hook -0.24, act agent-config mcp-server -0.06, act agent-config memory -0.28, act agent-config settings -0.18, act agent-config skill -0.20, act contact 0.65, act delete 0.41, act destroy files -0.30, act destroy repository 0.52, act disable-protection approval 0.56, act disable-protection firewall 1.49, act disable-protection gatekeeper 0.14, act disable-protection logging 0.18, act disable-protection sandbox 0.63, act dynamic-code -0.26, act environment -0.50, act fetch 0.50, act install-hook -0.32, act install-package -0.69, act install-skill -0.44, act listen -0.20, act literal-secret -0.26, act persist agent-hook -0.18, act persist authorized-keys 0.09, act persist cron -0.41, act persist git-hook 0.73, act persist launchd -0.08, act persist shell-startup -0.09, act persist systemd 0.26, act privilege sudo 0.13, act read 0.29, act remote-shell bash on /dev/tcp -0.11, act remote-shell bash reads a connection -0.10, act remote-shell nc 0.13, act run -1.84, act send 0.69, act write -0.44, anomaly active-markup -0.28, anomaly homoglyph -0.06, anomaly invisible-characters -0.46, conceal 1.31, contact foreign 0.54, contact known -0.18, contact own -0.08, contact placeholder 0.90, destroy 1.22, excusedRisk 1.15, fetch foreign 0.37, fetch known -0.56, fetch own -0.29, fetch placeholder 1.52, fetch throwaway 0.75, fetch unknown -1.47, flow conversation network -0.11, flow conversation network unknown -0.07, flow decoded execute 0.25, flow decoded execute eval 0.10, flow decoded execute shell 0.08, flow decoded instructions 0.14, flow decoded write -0.25, flow file network 0.71, flow file network foreign -0.34, flow file network known -0.38, flow file network local -0.13, flow file network placeholder 0.76, flow file network throwaway 0.27, flow file network unknown 0.55, flow file write -0.30, flow input network -0.24, flow network execute 1.03, flow network execute eval 0.27, flow network execute file 0.39, flow network execute interpreter 0.15, flow network execute shell -0.12, flow network instructions 0.36, flow network write -0.12, flow secret cloud network 0.27, flow secret environment-file network 0.11, flow secret generic network 0.07, flow secret network foreign 0.16, flow secret network known -0.30, flow secret network placeholder -0.28, flow secret network throwaway 0.15, flow secret network unknown -0.26, flow secret own-key network -1.44, flow secret own-key write -0.18, flow secret package-registry network 0.25, flow secret ssh network -0.06, flow secret whole-environment network 0.44, flow secret write -0.36, flow system network 1.34, flow system network foreign 0.15, flow system network placeholder 0.45, forbids -1.33, hedge 0.88, hidden attribute 0.41, hidden html-comment -0.09, hidden invisible-style -0.31, info -0.27, insteadOf 0.43, lets -0.25, lie 0.81, link foreign -1.64, link known -2.42, link local -1.29, link own -1.77, link placeholder 1.49, link throwaway 1.74, link unknown -1.75, lure 1.80, payUnasked 0.84, security -1.67, send known -0.23, send local -0.09, send own -0.36, send placeholder 1.02, send throwaway 0.38, send unknown -0.36, slant 1.13, unasked 0.56, unsolicited 1.80, warn 2.84",
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
