import type { TestExpression } from "unbash";
import type { ShellWalk } from "./shell-walk.ts";
import { walkWord } from "./walk-word.ts";

/**
 * Finds the commands in a `[[ … ]]`.
 *
 * Comparisons of numbers evaluate their operands, which may run commands. And a plain `sh` takes `[[` for a program, so
 * that `&&`, `|` and `>` inside mean what they mean outside.
 */
export function walkTest(expression: TestExpression, walk: ShellWalk): void {
  switch (expression.type) {
    case "TestUnary":
      if (!UNARY.test(expression.operator)) walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      walkWord(expression.operand, walk);
      break;
    case "TestBinary":
      if (!BINARY.test(expression.operator)) walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      walkWord(expression.left, walk);
      walkWord(expression.right, walk);
      break;
    case "TestLogical":
      walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      for (const operand of expression.operands) walkTest(operand, walk);
      break;
    case "TestNot":
      walkTest(expression.operand, walk);
      break;
    case "TestGroup":
      walk.hidden("[[ ( ) ]] is not judged");
      walkTest(expression.expression, walk);
      break;
  }
}

const UNARY = /^-[bcdefghknprstuwxzGLNOS]$/;
const BINARY = /^(?:=|==|!=|-nt|-ot|-ef)$/;
