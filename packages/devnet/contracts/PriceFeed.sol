// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Answers whoever reads a Chainlink feed (AggregatorV3Interface), with what one account posts: prices, or as the uptime feed of
/// a sequencer 0 for up and 1 for down. Every round is kept. An answer may be given any time, so that tests can have old ones and
/// ones from the future.
contract PriceFeed {
    struct Round {
        int192 answer;
        uint64 updatedAt;
    }

    /// Ids of rounds start here, as behind a real proxy in its first phase: a reader must not take them for small numbers.
    uint80 private constant FIRST_PHASE = 1 << 64;

    uint256 public constant version = 1;
    uint8 public immutable decimals;
    address public immutable feeder;
    string public description;
    /// In order; the first has the id FIRST_PHASE + 1.
    Round[] private rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NotFeeder();
    error AnswerTooLarge();

    constructor(uint8 decimals_, string memory description_, address feeder_) {
        decimals = decimals_;
        description = description_;
        feeder = feeder_;
    }

    /// Begins a round. `updatedAt` 0 is the time of the block.
    function post(int256 answer, uint64 updatedAt) external {
        if (msg.sender != feeder) revert NotFeeder();
        if (int192(answer) != answer) revert AnswerTooLarge();
        uint64 time = updatedAt == 0 ? uint64(block.timestamp) : updatedAt;
        rounds.push(Round(int192(answer), time));
        emit AnswerUpdated(answer, FIRST_PHASE + rounds.length, time);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(FIRST_PHASE + uint80(rounds.length));
    }

    function getRoundData(uint80 id)
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(id > FIRST_PHASE && id - FIRST_PHASE <= rounds.length, "No data present");
        Round memory round = rounds[id - FIRST_PHASE - 1];
        return (id, round.answer, round.updatedAt, round.updatedAt, id);
    }
}
