// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Asks contracts one after the other, each with a word of what the one before it answered. Its constructor answers in place of code: it
/// runs within one eth_call that names no address, and is never deployed.
contract CallPipes {
    struct Step {
        address to;
        /// Where in `data` the word stands that comes from the step before; 0 for the first step of a pipe, which has its own.
        uint256 inputAt;
        /// Where in the answer the word stands that the next step gets; the largest number for its last one.
        uint256 outputAt;
        bytes data;
    }

    /// Answers with what each step answered. A pipe ends at a step that fails: from there to the next pipe the answers are empty. Each
    /// step has its part of the gas, so that one that uses it up takes nothing from the others.
    constructor(Step[] memory steps) {
        bytes[] memory answers = new bytes[](steps.length);
        uint256 word;
        bool isOpen;
        for (uint256 i = 0; i < steps.length; i++) {
            isOpen = isOpen || steps[i].inputAt == 0;
            if (isOpen) (isOpen, word, answers[i]) = ask(steps[i], word, gasleft() / (steps.length - i));
        }
        bytes memory encoded = abi.encode(answers);
        assembly {
            return(add(encoded, 32), mload(encoded))
        }
    }

    function ask(Step memory step, uint256 word, uint256 gasAtMost)
        private
        returns (bool isOpen, uint256 next, bytes memory answer)
    {
        bytes memory data = step.data;
        if (step.inputAt > 0) {
            require(step.inputAt + 32 <= data.length, "no place");
            assembly {
                mstore(add(add(data, 32), mload(add(step, 32))), word)
            }
        }
        bool ok;
        (ok, answer) = step.to.call{gas: gasAtMost}(data);
        if (!ok || answer.length < 32) return (false, 0, "");
        uint256 outputAt = step.outputAt > answer.length - 32 ? answer.length - 32 : step.outputAt;
        assembly {
            next := mload(add(add(answer, 32), outputAt))
        }
        return (true, next, answer);
    }
}
